import type { TouchpointContent, TouchpointDetail, TouchpointList, TouchpointSummary } from '@foreword/contract';
import { NAME_MAX_LENGTH, SLUG_MAX_LENGTH, slugFrom, TOUCHPOINT_CONTEXTS } from '@foreword/contract/plain';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFailure, call } from '../../api.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { type FieldInfo, Fields, requireAll } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { useSetTouchpoint } from './queries.ts';
import { CONTEXTS, laneOptions, NEW_TOUCHPOINT, TOUCHPOINT } from './texts.ts';

interface NewTouchpoint extends Pick<TouchpointContent, 'name' | 'context' | 'lane'> {
  readonly slug: string;
}

const NAMES = [
  {
    ...{ name: 'name', label: TOUCHPOINT.name, hint: NEW_TOUCHPOINT.nameHint },
    ...{ missing: TOUCHPOINT.nameMissing, most: NAME_MAX_LENGTH },
  },
  { name: 'slug', label: TOUCHPOINT.slug, hint: NEW_TOUCHPOINT.slugHint, most: SLUG_MAX_LENGTH },
] as const satisfies FieldInfo<NewTouchpoint>[];

const settings = (lanes: TouchpointList['lanes']): readonly FieldInfo<NewTouchpoint>[] => [
  {
    ...{ name: 'context', label: TOUCHPOINT.context, kind: 'radios' },
    options: TOUCHPOINT_CONTEXTS.map((value) => ({ value, label: CONTEXTS[value].name, hint: CONTEXTS[value].hint })),
  },
  ...(lanes.length === 0
    ? []
    : [
        {
          ...({ name: 'lane', label: TOUCHPOINT.lane, kind: 'select', optional: true } as const),
          options: laneOptions(lanes),
        },
      ]),
];

interface CreateDialogProps {
  open?: boolean;
  onClose: () => void;
  /** The touchpoint to duplicate. */
  source?: Pick<TouchpointSummary, 'slug' | 'name'> | null;
  list: TouchpointList;
}

/** A new touchpoint, or a copy of one. */
export function CreateDialog({ open = true, onClose, source = null, list }: CreateDialogProps) {
  const name = source === null ? '' : NEW_TOUCHPOINT.copyName(source.name);
  const [draft, setDraft] = useState<Omit<NewTouchpoint, 'slug'>>({ name, context: 'appointment', lane: null });
  // The slug follows the name until the user edits it.
  const [own, setOwn] = useState<string | null>(null);
  const values: NewTouchpoint = { ...draft, slug: own ?? slugFrom(draft.name) };
  const fields = source === null ? [...NAMES, ...settings(list.lanes)] : NAMES;
  const navigate = useNavigate();
  const setTouchpoint = useSetTouchpoint();
  const keys = useRetryKeys<NewTouchpoint>();
  const action = useAction({
    async run(): Promise<TouchpointDetail> {
      requireAll(fields, values);
      const { slug, context, lane } = values;
      const body = { name: values.name.trim(), ...(slug !== '' && { slug }) };
      const { key } = keys(values);
      return source === null
        ? call('POST /touchpoints', { body: { ...body, context, lane }, key })
        : call('POST /touchpoints/{slug}/copy', { params: { slug: source.slug }, body, key });
    },
    onDone(created) {
      setTouchpoint(created);
      void navigate({ to: '/touchpoints/$slug', params: { slug: created.slug } });
    },
    topics: ['touchpoints'],
    showsFailure: true,
  });
  const taken = list.touchpoints.find(({ slug }) => slug === values.slug);
  const message = taken && NEW_TOUCHPOINT.slugTaken(taken.name);
  const refusal = message && new ApiFailure({ status: 422, code: 'validation_failed', message, field: 'slug' });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={source === null ? NEW_TOUCHPOINT.title : NEW_TOUCHPOINT.copyTitle(source.name)}
      lead={source === null ? NEW_TOUCHPOINT.lead : NEW_TOUCHPOINT.copyLead}
      submit={source === null ? NEW_TOUCHPOINT.create : NEW_TOUCHPOINT.createCopy}
      isDirty={draft.name !== name || own !== null}
      action={action}
      fields={fields.map((field) => field.name)}
      onSubmit={() => action.mutate()}
    >
      <Fields
        list={fields}
        values={values}
        error={refusal ?? action.error}
        onChange={({ slug, ...change }) => {
          if (slug === undefined) setDraft((before) => ({ ...before, ...change }));
          else setOwn(slug.toLowerCase().replace(/[\s-]/g, '_'));
        }}
      />
    </FormDialog>
  );
}
