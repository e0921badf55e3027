import type { TouchpointContent, TouchpointDetail, TouchpointList, TouchpointSummary } from '@foreword/contract';
import { NAME_MAX_LENGTH, SLUG_MAX_LENGTH, slugFrom, TOUCHPOINT_CONTEXTS } from '@foreword/contract/plain';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { FieldsDialog } from '../../parts/actions.tsx';
import type { FieldInfo } from '../../parts/form.tsx';
import { useSetTouchpoint } from './queries.ts';
import { CONTEXTS, laneOptions, NEW_TOUCHPOINT, TOUCHPOINT } from './texts.ts';

interface NewTouchpoint extends Pick<TouchpointContent, 'name' | 'context' | 'lane'> {
  /** Null: made from the name. */
  readonly slug: string | null;
}

const nameFields = (name: string): readonly FieldInfo<NewTouchpoint>[] => [
  {
    ...{ name: 'name', label: TOUCHPOINT.name, hint: 'For your team. You can change it at any time.' },
    ...{ missing: TOUCHPOINT.nameMissing, most: NAME_MAX_LENGTH },
  },
  {
    ...{ name: 'slug', label: TOUCHPOINT.slug, hint: NEW_TOUCHPOINT.slugHint, optional: true, most: SLUG_MAX_LENGTH },
    input: { placeholder: slugFrom(name), autoCapitalize: 'none', spellCheck: false },
  },
];

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
  lanes: TouchpointList['lanes'];
}

/** A new touchpoint, or a copy of one. */
export function CreateDialog({ open = true, onClose, source = null, lanes }: CreateDialogProps) {
  const name = source === null ? '' : `${source.name} (copy)`;
  const navigate = useNavigate();
  const setTouchpoint = useSetTouchpoint();
  return (
    <FieldsDialog<NewTouchpoint, TouchpointDetail>
      open={open}
      onClose={onClose}
      title={source === null ? NEW_TOUCHPOINT.title : `Duplicate “${source.name}”`}
      lead={source === null ? NEW_TOUCHPOINT.lead : NEW_TOUCHPOINT.copyLead}
      submit={source === null ? 'Create' : NEW_TOUCHPOINT.createCopy}
      list={(values) => [...nameFields(values.name), ...(source === null ? settings(lanes) : [])]}
      initial={{ name, slug: null, context: 'appointment', lane: null }}
      run={({ slug, context, lane, ...rest }, key) => {
        const body = { name: rest.name, ...(slug !== null && { slug }) };
        return source === null
          ? call('POST /touchpoints', { body: { ...body, context, lane }, key })
          : call('POST /touchpoints/{slug}/copy', { params: { slug: source.slug }, body, key });
      }}
      topics={['touchpoints']}
      onDone={(created) => {
        setTouchpoint(created);
        void navigate({ to: '/touchpoints/$slug', params: { slug: created.slug } });
      }}
    />
  );
}
