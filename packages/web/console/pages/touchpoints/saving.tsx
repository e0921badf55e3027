import type { TouchpointContent, TouchpointDetail, TouchpointField } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { useState } from 'react';
import { ApiFailure, call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/display.tsx';
import { FormProblem } from '../../parts/form.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { FAILURE } from '../../texts.ts';
import { type Draft, useDraft } from '../../use-draft.ts';
import { readTouchpoint, useTouchpointCache } from './queries.ts';
import { TOUCHPOINT } from './texts.ts';

export interface TouchpointDraft extends Pick<Draft<TouchpointContent>, 'changes' | 'discard'> {
  /** The version that was edited. */
  readonly base: TouchpointDetail;
  readonly changed: readonly TouchpointField[];
  /** The base version with the changes applied. */
  readonly content: TouchpointContent;
  /** Whether `other` has the same values in all fields. */
  isSavedIn(other: TouchpointContent): boolean;
  set<F extends TouchpointField>(field: F, value: TouchpointContent[F]): void;
  /** Moves the draft to another version and keeps the changes that still differ. */
  rebase(on: TouchpointDetail): void;
}

/** A draft on top of a fixed version: a newer version replaces it only while nothing is changed. */
export function useTouchpointDraft(saved: TouchpointDetail): TouchpointDraft {
  const [base, setBase] = useState(saved);
  const { changes, fields: content, isDirty, change, discard, markSaved } = useDraft<TouchpointContent>(base);
  if (saved.version > base.version && !isDirty) setBase(saved);
  return {
    base,
    changes,
    changed: TOUCHPOINT_FIELDS.filter((field) => changes[field] !== undefined),
    content,
    isSavedIn: (other) => TOUCHPOINT_FIELDS.every((field) => content[field] === other[field]),
    set: (field, value) => change({ [field]: value }),
    rebase(on) {
      setBase(on);
      markSaved(on, on);
    },
    discard,
  };
}

export const authorOf = ({ last_change: last }: TouchpointDetail): string => {
  if (last === null) return TOUCHPOINT.someoneElse;
  return last.by === null ? TOUCHPOINT.command : last.by.name;
};

const isConflict = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'edit_conflict';

async function saveDraft(slug: string, draft: TouchpointDraft): Promise<TouchpointDetail> {
  try {
    return await call('POST /touchpoints/{slug}', {
      params: { slug },
      body: { version: draft.base.version, ...draft.changes },
    });
  } catch (error) {
    // If the newer version has the same content, an earlier try was saved and its response was lost.
    const latest = isConflict(error) ? await readTouchpoint(slug) : null;
    if (latest !== null && draft.isSavedIn(latest)) return latest;
    throw error;
  }
}

/** Saves the draft. On a conflict, loads the other version for comparison. */
export function useSaving(detail: TouchpointDetail, draft: TouchpointDraft) {
  const cache = useTouchpointCache();
  const [theirs, setTheirs] = useState<TouchpointDetail | null>(null);
  const { slug } = detail;
  const apply = (next: TouchpointDetail) => {
    draft.rebase(next);
    cache.setDetail(next);
  };
  const { mutate, isPending, error, reset } = useAction({
    run: () => saveDraft(slug, draft),
    done: TOUCHPOINT.saved,
    onDone: apply,
    topics: ['touchpoints'],
    showsFailure: true,
  });
  const compare = async () => {
    try {
      const latest = await readTouchpoint(slug);
      cache.setDetail(latest);
      setTheirs(latest);
    } catch (problem) {
      showToast({ kind: 'bad', text: problem instanceof ApiFailure ? problem.message : FAILURE.unknown });
    }
  };
  return {
    apply,
    compare,
    theirs,
    closeTheirs: () => setTheirs(null),
    busy: isPending,
    /** Excludes conflicts, which have their own dialog. */
    error: isConflict(error) ? null : error,
    save: () => mutate(undefined, { onError: (problem) => isConflict(problem) && void compare() }),
    discard() {
      reset();
      draft.discard();
      draft.rebase(detail);
    },
  };
}

interface TouchpointSaveBarProps {
  detail: TouchpointDetail;
  draft: TouchpointDraft;
  saving: ReturnType<typeof useSaving>;
}

export const TouchpointSaveBar = ({ detail, draft, saving }: TouchpointSaveBarProps) => (
  <SaveBar changed={draft.changed.length} busy={saving.busy} onDiscard={saving.discard} onSave={saving.save}>
    {detail.version > draft.base.version && !draft.isSavedIn(detail) && (
      <NewerVersion author={authorOf(detail)} onCompare={() => void saving.compare()} />
    )}
    <FormProblem error={saving.error} fields={TOUCHPOINT_FIELDS} />
  </SaveBar>
);

const NewerVersion = ({ author, onCompare }: { author: string; onCompare: () => void }) => (
  <Notice
    tone="warn"
    live
    action={
      <Button kind="quiet" small onClick={onCompare}>
        {TOUCHPOINT.compare}
      </Button>
    }
  >
    {TOUCHPOINT.newer(author)}
  </Notice>
);
