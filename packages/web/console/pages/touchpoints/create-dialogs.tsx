import type { TouchpointContent, TouchpointDetail, TouchpointList, TouchpointSummary } from '@foreword/contract';
import { NAME_MAX_LENGTH, SLUG_MAX_LENGTH, slugFrom, TOUCHPOINT_CONTEXTS } from '@foreword/contract/plain';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { useUnsaved } from '../../hooks.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Field, RadioGroup, SelectField, TextField } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { LANE_NAMES } from '../../texts.ts';
import { useTouchpointCache } from './queries.ts';
import { CONTEXTS, EVERY_LANE, NEW_TOUCHPOINT } from './texts.ts';

export const contextOptions = () => TOUCHPOINT_CONTEXTS.map((value) => ({ value, label: CONTEXTS[value].name }));

export const laneOptions = (lanes: TouchpointList['lanes']) => [
  ...lanes.map((value) => ({ value, label: LANE_NAMES[value] })),
  { value: 'every', label: EVERY_LANE } as const,
];

interface NamesProps {
  name: string;
  slug: string;
  onName: (name: string) => void;
  onSlug: (slug: string) => void;
  list: TouchpointList;
  error: unknown;
}

function Names({ name, slug, onName, onSlug, list, error }: NamesProps) {
  const taken = list.touchpoints.find((row) => row.slug === slug);
  const problem = taken === undefined ? fieldProblem(error, 'slug') : NEW_TOUCHPOINT.slugTaken(taken.name);
  return (
    <>
      <TextField
        label={NEW_TOUCHPOINT.name}
        hint={NEW_TOUCHPOINT.nameHint}
        error={fieldProblem(error, 'name')}
        value={name}
        onChange={onName}
        maxLength={NAME_MAX_LENGTH}
      />
      <TextField
        label={NEW_TOUCHPOINT.slug}
        hint={NEW_TOUCHPOINT.slugHint}
        error={problem}
        value={slug}
        onChange={(text) => onSlug(text.toLowerCase().replace(/[\s-]/g, '_'))}
        maxLength={SLUG_MAX_LENGTH}
        spellCheck={false}
        autoCapitalize="none"
      />
    </>
  );
}

/** The slug follows the name until the user edits it. */
function useNames(initial = '') {
  const [name, setName] = useState(initial);
  const [own, setOwn] = useState<string | null>(null);
  return { name, slug: own ?? slugFrom(name), onName: setName, onSlug: setOwn };
}

function useOpenCreated() {
  const navigate = useNavigate();
  const cache = useTouchpointCache();
  return (created: TouchpointDetail) => {
    cache.setDetail(created);
    void navigate({ to: '/touchpoints/$slug', params: { slug: created.slug } });
  };
}

const FIELDS = ['name', 'slug', 'context', 'lane'] as const;
const slugOrDefault = (slug: string) => (slug === '' ? {} : { slug });

interface NewDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  list: TouchpointList;
}

export function NewDialog({ open, onOpenChange, list }: NewDialogProps) {
  const names = useNames();
  const [context, setContext] = useState<TouchpointContent['context']>('appointment');
  const [lane, setLane] = useState<TouchpointContent['lane']>(null);
  const openCreated = useOpenCreated();
  const { name, slug } = names;
  useUnsaved(open && name !== '');
  const action = useAction({
    run: () => call('POST /touchpoints', { body: { name: name.trim(), ...slugOrDefault(slug), context, lane } }),
    onDone: openCreated,
    topics: ['touchpoints'],
    showsFailure: true,
  });
  return (
    <FormDialog
      open={open}
      onClose={() => onOpenChange(false)}
      title={NEW_TOUCHPOINT.title}
      lead={NEW_TOUCHPOINT.lead}
      submit={NEW_TOUCHPOINT.create}
      action={action}
      fields={FIELDS}
      onSubmit={() => action.mutate()}
    >
      <Names {...names} list={list} error={action.error} />
      <Field label={NEW_TOUCHPOINT.context} group error={fieldProblem(action.error, 'context')}>
        <RadioGroup
          value={context}
          onChange={setContext}
          options={TOUCHPOINT_CONTEXTS.map((value) => ({
            value,
            label: CONTEXTS[value].name,
            hint: CONTEXTS[value].hint,
          }))}
        />
      </Field>
      {list.lanes.length > 0 && (
        <SelectField
          label={NEW_TOUCHPOINT.lane}
          error={fieldProblem(action.error, 'lane')}
          value={lane ?? 'every'}
          options={laneOptions(list.lanes)}
          onChange={(chosen) => setLane(chosen === 'every' ? null : chosen)}
        />
      )}
    </FormDialog>
  );
}

interface CopyDialogProps {
  source: Pick<TouchpointSummary, 'slug' | 'name'> | null;
  /** The suggested name of the copy. */
  name: string;
  onClose: () => void;
  list: TouchpointList;
}

export function CopyDialog({ source, name: initial, onClose, list }: CopyDialogProps) {
  const names = useNames(initial);
  const openCreated = useOpenCreated();
  const { name, slug } = names;
  const action = useAction({
    run: () =>
      call('POST /touchpoints/{slug}/copy', {
        params: { slug: source?.slug ?? '' },
        body: { name: name.trim(), ...slugOrDefault(slug) },
      }),
    onDone: openCreated,
    topics: ['touchpoints'],
    showsFailure: true,
  });
  return (
    <FormDialog
      open={source !== null}
      onClose={onClose}
      title={NEW_TOUCHPOINT.copyTitle(source?.name ?? '')}
      lead={NEW_TOUCHPOINT.copyLead}
      submit={NEW_TOUCHPOINT.createCopy}
      action={action}
      fields={FIELDS}
      onSubmit={() => action.mutate()}
    >
      <Names {...names} list={list} error={action.error} />
    </FormDialog>
  );
}
