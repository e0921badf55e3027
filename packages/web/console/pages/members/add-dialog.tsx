import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { useUnsaved } from '../../hooks.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Checkbox, Fields, requireAll, tidy } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { isSame } from '../../use-draft.ts';
import { EMPTY_FIELDS, type MemberFields, useMemberFields } from './fields.ts';
import { ADD } from './texts.ts';

/** Adds one member, then opens their page, where a photo can be added. Closing keeps what was typed for the next time. */
export function AddMember({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [fields, setFields] = useState<MemberFields>(EMPTY_FIELDS);
  const [welcomes, setWelcomes] = useState(true);
  const list = useMemberFields(null);
  const navigate = useNavigate();
  const changed = list.filter(({ name }) => !isSame(EMPTY_FIELDS[name], fields[name]));
  useUnsaved(open && changed.length > 0);
  const toBody = () => {
    const { first_name, last_name, email } = fields;
    const set = Object.fromEntries(changed.map(({ name }) => [name, fields[name]]));
    return {
      ...{ first_name, last_name, email },
      ...tidy(list, set),
      ...(fields.phone !== null && welcomes && { welcome: true }),
    };
  };
  const retryKeys = useRetryKeys<ReturnType<typeof toBody>>();
  const add = useAction({
    async run() {
      requireAll(list, fields);
      return call('POST /members', retryKeys(toBody()));
    },
    topics: ['members'],
    showsFailure: true,
    done: (member) => ADD.done(formatName(member)),
    onDone: ({ id }) => {
      retryKeys.done();
      setFields(EMPTY_FIELDS);
      onClose();
      void navigate({ to: '/members/$id', params: { id } });
    },
  });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={ADD.title}
      lead={ADD.lead}
      wide
      submit={ADD.action}
      action={add}
      fields={list.map(({ name }) => name)}
      onSubmit={() => add.mutate()}
    >
      <Fields
        list={list}
        values={fields}
        error={add.error}
        onChange={(change) => setFields((before) => ({ ...before, ...change }))}
      />
      {fields.phone !== null && (
        <Checkbox label={ADD.welcome} hint={ADD.welcomeHint} checked={welcomes} onChange={setWelcomes} />
      )}
    </FormDialog>
  );
}
