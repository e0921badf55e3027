import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { useUnsaved } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormProblem, useFocusProblem } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { PARTS } from '../../texts.ts';
import { EMPTY_FIELDS, FIELD_KEYS, isChanged, type MemberFields, toNew } from './fields.ts';
import { MemberForm } from './member-form.tsx';
import { ADD } from './texts.ts';

/** Adds one member, then opens their page, where a photo can be added. */
export function AddMember({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [fields, setFields] = useState<MemberFields>(EMPTY_FIELDS);
  const form = useId();
  const navigate = useNavigate();
  const retryKeys = useRetryKeys<ReturnType<typeof toNew>>();
  useUnsaved(open && isChanged(EMPTY_FIELDS, fields));
  const close = () => {
    onOpenChange(false);
    setFields(EMPTY_FIELDS);
    add.reset();
  };
  const add = useAction({
    run: (added: MemberFields) => call('POST /members', retryKeys(toNew(added))),
    topics: ['members'],
    showsFailure: true,
    done: (member) => ADD.done(formatName(member)),
    onDone: ({ id }) => {
      retryKeys.done();
      close();
      void navigate({ to: '/members/$id', params: { id } });
    },
  });
  const formElement = useFocusProblem<HTMLFormElement>(add.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!add.isPending) add.mutate(fields);
  };
  return (
    <Dialog
      open={open}
      // Closing keeps what was typed for the next time; only Cancel clears it.
      onOpenChange={onOpenChange}
      title={ADD.title}
      lead={ADD.lead}
      wide
      actions={
        <>
          <Button kind="quiet" onClick={close}>
            {PARTS.cancel}
          </Button>
          <Button type="submit" form={form} busy={add.isPending}>
            {ADD.action}
          </Button>
        </>
      }
    >
      <form ref={formElement} id={form} noValidate className="form" onSubmit={submit}>
        <MemberForm
          fields={fields}
          onChange={(change) => setFields((before) => ({ ...before, ...change }))}
          error={add.error}
          currentRole={null}
        />
        <FormProblem error={add.error} fields={FIELD_KEYS} />
      </form>
    </Dialog>
  );
}
