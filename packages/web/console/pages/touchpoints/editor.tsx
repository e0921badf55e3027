import type { TouchpointDetail } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { ApiFailure } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/confirm.tsx';
import { FormProblem, useFocusProblem } from '../../parts/form-problem.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge, Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { FAILURE } from '../../texts/common.ts';
import { NEW_TOUCHPOINT, TOUCHPOINT, TOUCHPOINTS } from '../../texts/touchpoints.ts';
import { authorOf, Conflict } from './conflict.tsx';
import { CopyDialog } from './create-dialogs.tsx';
import { type TouchpointDraft, useTouchpointDraft } from './draft.ts';
import { changedFromOriginal, History, Reset } from './history.tsx';
import { LengthCheck } from './length-check.tsx';
import { ConfirmOff, useOnOff } from './on-off.tsx';
import { Preview, usePreview } from './preview.tsx';
import { readTouchpoint, useTouchpoint, useTouchpointCache, useTouchpoints } from './queries.ts';
import { NameSection, PageSection, ScriptSection, SendingSection, TextSection } from './sections.tsx';

const isConflict = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'edit_conflict';

const BACK = { to: '/touchpoints', name: TOUCHPOINTS.title } as const;

export function TouchpointPage() {
  const { slug } = useParams({ from: '/touchpoints/$slug' });
  const query = useTouchpoint(slug);
  return (
    <>
      {query.data === undefined && <PageHeader title={TOUCHPOINT.loading} back={BACK} />}
      <Loaded query={query}>{(detail) => <Editor key={detail.slug} detail={detail} />}</Loaded>
    </>
  );
}

async function saveDraft(slug: string, draft: TouchpointDraft): Promise<TouchpointDetail> {
  try {
    return await call('POST /touchpoints/:slug', {
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
function useSaving(detail: TouchpointDetail, draft: TouchpointDraft) {
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

function Editor({ detail }: { detail: TouchpointDetail }) {
  const draft = useTouchpointDraft(detail);
  const { content } = draft;
  const preview = usePreview(content);
  const saving = useSaving(detail, draft);
  const { error } = saving;
  const [people, setPeople] = useState('0');
  const form = useFocusProblem<HTMLDivElement>(error);
  const hasDraft = draft.changed.length > 0;

  const section = { draft, detail, preview: preview.data, people, error };
  return (
    <>
      <Header detail={detail} hasDraft={hasDraft} onChanged={saving.apply} />
      <div className="editor" ref={form}>
        <div className="editor-first">
          <NameSection {...section} />
          <ScriptSection {...section} />
        </div>
        <aside className="editor-aside">
          <Preview
            query={preview}
            people={people}
            onPeople={setPeople}
            action={content.shows_action ? content.action_label : null}
          />
        </aside>
        <div className="editor-rest">
          <LengthCheck script={content.script} />
          <PageSection {...section} />
          <TextSection {...section} />
          <SendingSection {...section} />
        </div>
      </div>
      {hasDraft && <SaveBar detail={detail} draft={draft} saving={saving} />}
      <Conflict key={saving.theirs?.version ?? 0} draft={draft} theirs={saving.theirs} onClose={saving.closeTheirs} />
      <UnsavedChanges when={hasDraft} />
    </>
  );
}

interface SaveBarProps {
  detail: TouchpointDetail;
  draft: TouchpointDraft;
  saving: ReturnType<typeof useSaving>;
}

const SaveBar = ({ detail, draft, saving }: SaveBarProps) => (
  <section className="save-bar" aria-label={TOUCHPOINT.save}>
    {detail.version > draft.base.version && !draft.isSavedIn(detail) && (
      <NewerVersion author={authorOf(detail)} onCompare={() => void saving.compare()} />
    )}
    <FormProblem error={saving.error} fields={TOUCHPOINT_FIELDS} />
    <div className="save-row">
      <p role="status">{TOUCHPOINT.unsaved(draft.changed.length)}</p>
      <Button kind="quiet" onClick={saving.discard}>
        {TOUCHPOINT.discard}
      </Button>
      <Button busy={saving.busy} onClick={saving.save}>
        {TOUCHPOINT.save}
      </Button>
    </div>
  </section>
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

const LastChange = ({ detail }: { detail: TouchpointDetail }) =>
  detail.last_change === null ? (
    TOUCHPOINT.unchanged
  ) : (
    <>
      {TOUCHPOINT.changedBy(detail.last_change.by?.name ?? TOUCHPOINT.byCommand)}, <Time at={detail.last_change.at} />
    </>
  );

interface HeaderProps {
  detail: TouchpointDetail;
  hasDraft: boolean;
  onChanged: (detail: TouchpointDetail) => void;
}

/** Actions on the whole touchpoint, which take effect immediately. */
function Header({ detail, hasDraft, onChanged }: HeaderProps) {
  const [dialog, setDialog] = useState<'history' | 'reset' | 'copy' | null>(null);
  const list = useTouchpoints();
  const onOff = useOnOff(detail, onChanged);
  const isChanged = changedFromOriginal(detail).length > 0;
  const close = () => setDialog(null);
  const startReset = () => {
    if (hasDraft) showToast({ kind: 'bad', text: TOUCHPOINT.saveFirst });
    else if (isChanged) setDialog('reset');
    else showToast({ text: TOUCHPOINT.resetNothing });
  };
  return (
    <>
      <PageHeader
        title={detail.name}
        back={BACK}
        badge={<Badge {...(detail.active && { tone: 'good' })}>{detail.active ? TOUCHPOINT.on : TOUCHPOINT.off}</Badge>}
        lead={<LastChange detail={detail} />}
        actions={
          <div className="editor-actions">
            <Button kind="quiet" busy={onOff.busy} onClick={() => onOff.ask(!detail.active)}>
              {detail.active ? TOUCHPOINT.turnOff : TOUCHPOINT.turnOn}
            </Button>
            <Menu
              label={TOUCHPOINT.menu}
              items={[
                { label: TOUCHPOINT.history, icon: 'clock', run: () => setDialog('history') },
                { label: TOUCHPOINTS.copy, icon: 'copy', run: () => setDialog('copy') },
                ...(detail.original === null
                  ? []
                  : [{ label: TOUCHPOINT.reset, icon: 'again', run: startReset } as const]),
              ]}
            />
          </div>
        }
      />
      <ConfirmOff touchpoint={detail} onOff={onOff} />
      <History
        open={dialog === 'history'}
        onOpenChange={(open) => open || close()}
        detail={detail}
        hasDraft={hasDraft}
        onChanged={onChanged}
      />
      <Reset open={dialog === 'reset'} onOpenChange={(open) => open || close()} detail={detail} onChanged={onChanged} />
      <CopyDialog
        key={detail.name}
        source={dialog === 'copy' ? detail : null}
        name={NEW_TOUCHPOINT.copyName(detail.name)}
        onClose={close}
        list={list.data ?? { touchpoints: [], lanes: [] }}
      />
    </>
  );
}
