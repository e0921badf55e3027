import type { Brand, BrandDraft } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { ApiFailure, otherProblem } from '../../failure.ts';
import { useFocusProblem } from '../../focus-problem.ts';
import { Button } from '../../parts/button.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { UnsavedChanges } from '../../parts/unsaved-changes.tsx';
import { BRAND } from '../../texts/brand.ts';
import { ColourCard } from './colour.tsx';
import { Conflict } from './conflict.tsx';
import { differing, draftOf, isChanged, standsIn } from './draft.ts';
import { ContactCard, IdentityCard, TimesCard } from './fields.tsx';
import { BrandPreviewPane } from './preview.tsx';
import { usePreview } from './use-preview.ts';

/** Those that the form shows beside themselves. */
const SHOWN = ['name', 'accent', 'office_phone', 'license', 'timezone', 'texts_from', 'texts_until', 'file'];

const isConflict = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'edit_conflict';

async function saveDraft(version: number, draft: BrandDraft): Promise<Brand> {
  try {
    return await call('POST /brand', { body: { version, ...draft } });
  } catch (error) {
    // A newer version that says the same: an earlier try was saved, and its answer got lost.
    const now = isConflict(error) ? await call('GET /brand') : null;
    if (now !== null && standsIn(draft, now)) return now;
    throw error;
  }
}

/** What was read, what is written, and what the server says to it. */
function useEditing(loaded: Brand) {
  const queries = useQueryClient();
  const [base, setBase] = useState(loaded);
  const [draft, setDraft] = useState(() => draftOf(loaded));
  const keep = (brand: Brand) => {
    setBase(brand);
    queries.setQueryData(['brand'], brand);
  };
  const save = useAction({
    run: (body: BrandDraft) => saveDraft(base.version, body),
    done: BRAND.saved,
    showsFailure: true,
    topics: ['organization'],
    onDone: (brand, sent) => {
      keep(brand);
      setDraft((now) => ({ ...draftOf(brand), ...differing(now, sent) }));
    },
  });
  return { base, draft, setDraft, keep, save };
}

export function BrandEditor({ loaded }: { loaded: Brand }) {
  const { base, draft, setDraft, keep, save } = useEditing(loaded);
  const [logoConflict, setLogoConflict] = useState(false);
  const { preview, error: previewError } = usePreview(draft);
  const change = (part: Partial<BrandDraft>) => setDraft((before) => ({ ...before, ...part }));
  const changed = isChanged(draft, draftOf(base));
  const problem = save.error ?? previewError;
  const form = useFocusProblem<HTMLFormElement>(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending && changed) save.mutate(draft);
  };
  const settle = (theirs: Brand, takesTheirs: boolean) => {
    keep(theirs);
    if (takesTheirs) setDraft(draftOf(theirs));
    save.reset();
    setLogoConflict(false);
  };
  const hasConflict = isConflict(save.error) || logoConflict;
  return (
    <div className="brand-columns">
      <form ref={form} className="brand-form" onSubmit={submit} noValidate>
        <UnsavedChanges when={changed} />
        <IdentityCard {...{ draft, change, problem, base }} onLogo={keep} onConflict={() => setLogoConflict(true)} />
        <ColourCard {...{ draft, change, problem, preview }} />
        <ContactCard {...{ draft, change, problem }} />
        <TimesCard {...{ draft, change, problem }} />
        {hasConflict && <Conflict base={base} onSettled={settle} />}
        {!hasConflict && otherProblem(save.error, SHOWN) !== undefined && (
          <FormProblem error={save.error} fields={SHOWN} />
        )}
        <div className={changed ? 'form-actions brand-actions brand-actions-due' : 'form-actions brand-actions'}>
          <Button type="submit" busy={save.isPending} disabled={!changed || hasConflict}>
            {BRAND.save}
          </Button>
          {changed && (
            <Button kind="quiet" disabled={save.isPending} onClick={() => setDraft(draftOf(base))}>
              {BRAND.discard}
            </Button>
          )}
        </div>
      </form>
      <BrandPreviewPane preview={preview} failed={previewError !== null} logo={base.logo_url} />
    </div>
  );
}
