/** The brand, with a preview. */

import type { Brand, BrandDraft } from '@foreword/contract';
import { BRAND_FIELDS } from '@foreword/contract/plain';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api.ts';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Notice, PageHeader } from '../../parts/display.tsx';
import { FormProblem, Segmented, useFocusProblem } from '../../parts/form.tsx';
import { ConflictPanel, SaveBar } from '../../parts/save-bar.tsx';
import { Loaded } from '../../parts/states.tsx';
import { load, useAction } from '../../queries.ts';
import { useDraft } from '../../use-draft.ts';
import {
  ColorCard,
  ContactCard,
  fieldsOf,
  formatMinutes,
  IdentityCard,
  isConflict,
  isSavedIn,
  listDifferences,
  RepliesCard,
  TimesCard,
} from './fields.tsx';
import { BrandPreviewPane, usePreview } from './preview.tsx';
import { BRAND } from './texts.ts';

/** Fields whose errors appear next to them. */
const SHOWN = [...BRAND_FIELDS, 'file'];

/** The loaded brand, the draft on top of it, and saving. */
function useEditing(loaded: Brand) {
  const queries = useQueryClient();
  const [base, setBase] = useState(loaded);
  /** Fields that someone else has changed since the brand was opened or last saved. */
  const [othersChanged, setOthersChanged] = useState<ReturnType<typeof listDifferences>>([]);
  const draft = useDraft(fieldsOf(base));
  const adopt = (brand: Brand) => {
    setBase(brand);
    queries.setQueryData(['brand'], brand);
  };
  const loadLatest = async (): Promise<Brand> => {
    const latest = await call('GET /brand');
    setOthersChanged(listDifferences(base, latest));
    adopt(latest);
    return latest;
  };
  const save = useAction({
    run: async ({ changes, fields }: { changes: Partial<BrandDraft>; fields: BrandDraft }) => {
      try {
        return await call('POST /brand', { body: { version: base.version, ...fields } });
      } catch (error) {
        // If the latest version has these values, an earlier save succeeded, but its response was lost.
        const latest = isConflict(error) ? await loadLatest() : null;
        if (latest !== null && isSavedIn(changes, latest)) return latest;
        throw error;
      }
    },
    done: BRAND.saved,
    showsFailure: true,
    topics: ['organization'],
    onDone: (brand, { changes }) => {
      adopt(brand);
      setOthersChanged([]);
      draft.markSaved(changes, fieldsOf(brand));
    },
  });
  const clearConflict = () => {
    setOthersChanged([]);
    save.reset();
  };
  return { base, draft, othersChanged, adopt, loadLatest, clearConflict, save };
}

function formatValue(field: keyof BrandDraft, value: BrandDraft[keyof BrandDraft]): string {
  if (value === null || value === '') return BRAND.notSet;
  return field === 'texts_from' || field === 'texts_until' ? formatMinutes(Number(value)) : String(value);
}

function BrandEditor({ loaded }: { loaded: Brand }) {
  const { base, draft, othersChanged, adopt, loadLatest, clearConflict, save } = useEditing(loaded);
  const { fields, change, isDirty } = draft;
  const { preview, error: previewError } = usePreview(fields);
  const problem = save.error ?? previewError;
  const form = useFocusProblem<HTMLFormElement>(save.error);
  // While saving, the draft still differs from what is about to be stored: not a conflict.
  const conflicts = save.isPending ? [] : draft.conflicts;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending && isDirty && conflicts.length === 0) save.mutate({ changes: draft.changes, fields });
  };
  const discard = (discarded?: readonly (keyof BrandDraft)[]) => {
    draft.discard(discarded);
    clearConflict();
  };
  const keepMine = () => {
    draft.keepMine();
    clearConflict();
  };
  const cards = { draft: fields, change, problem };
  return (
    <div className="brand-columns">
      <form ref={form} className="narrow brand-form" onSubmit={submit} noValidate>
        <UnsavedChanges when={isDirty} />
        <IdentityCard {...cards} base={base} onLogo={adopt} onConflict={loadLatest} />
        <ColorCard {...cards} preview={preview} />
        <ContactCard {...cards} />
        <RepliesCard {...cards} />
        <TimesCard {...cards} />
        {conflicts.length > 0 ? (
          <ConflictPanel
            title={BRAND.conflictTitle}
            fields={conflicts.map((field) => ({
              label: BRAND.fieldLabel(field),
              theirs: formatValue(field, base[field]),
              mine: formatValue(field, fields[field]),
            }))}
            onUseTheirs={() => discard(conflicts)}
            onKeepMine={keepMine}
          />
        ) : (
          (othersChanged.length > 0 || isConflict(save.error)) && (
            <Notice tone="warn" title={BRAND.conflictTitle} live>
              {BRAND.othersChanged(othersChanged)}
            </Notice>
          )
        )}
        {!isConflict(save.error) && <FormProblem error={save.error} fields={SHOWN} />}
        <SaveBar
          changed={Object.keys(draft.changes).length}
          busy={save.isPending}
          blocked={conflicts.length > 0}
          onDiscard={() => discard()}
        />
      </form>
      <BrandPreviewPane preview={preview} failed={previewError !== null} logo={base.logo_url} />
    </div>
  );
}

type View = 'edit' | 'preview';

export function BrandPage() {
  const query = useQuery({
    ...load(['brand'], 'GET /brand'),
    // A background refetch would replace what the user is editing.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  });
  const [view, setView] = useState<View>('edit');
  return (
    <div className="brand" data-view={view}>
      <PageHeader title={BRAND.title} lead={BRAND.lead} />
      <div className="brand-views">
        <Segmented
          label={BRAND.views}
          value={view}
          onChange={setView}
          options={[
            { value: 'edit', label: BRAND.edit },
            { value: 'preview', label: BRAND.preview },
          ]}
        />
      </div>
      <Loaded query={query}>{(brand) => <BrandEditor loaded={brand} />}</Loaded>
    </div>
  );
}
