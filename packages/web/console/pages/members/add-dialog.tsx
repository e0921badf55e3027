import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { useAttempts } from '../../attempts.ts';
import { useFocusProblem } from '../../focus-problem.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { PARTS } from '../../texts/common.ts';
import { ADD } from '../../texts/members.ts';
import { useUnsaved } from '../../unsaved.ts';
import { EMPTY_FIELDS, FIELD_KEYS, isChanged, type MemberFields, toNew } from './fields.ts';
import { MemberForm } from './member-form.tsx';

/** Somebody new, by hand. Leads to their page, where the photo is. */
export function AddMember({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [fields, setFields] = useState<MemberFields>(EMPTY_FIELDS);
  const form = useId();
  const navigate = useNavigate();
  const attempts = useAttempts<ReturnType<typeof toNew>>();
  useUnsaved(open && isChanged(EMPTY_FIELDS, fields));
  const close = () => {
    onOpenChange(false);
    setFields(EMPTY_FIELDS);
    add.reset();
  };
  const add = useAction({
    run: (added: MemberFields) => call('POST /members', { body: attempts(toNew(added)) }),
    topics: ['members'],
    showsFailure: true,
    done: (member) => ADD.done(formatName(member)),
    onDone: ({ id }) => {
      attempts.done();
      close();
      void navigate({ to: '/members/$id', params: { id } });
    },
  });
  const room = useFocusProblem<HTMLFormElement>(add.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!add.isPending) add.mutate(fields);
  };
  return (
    <Dialog
      open={open}
      // Put away, not given up: what was typed is there when it is opened again.
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
      <form ref={room} id={form} noValidate className="form" onSubmit={submit}>
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
