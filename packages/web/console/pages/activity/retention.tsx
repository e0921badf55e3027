import { AUDIT_DAYS } from '@foreword/contract/plain/audit';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { useAction } from '../../queries.ts';
import { ACTIVITY } from '../../texts/activity.ts';
import { PARTS } from '../../texts/common.ts';

/** How long the organization keeps entries. */
export function Retention({ days }: { days: number }) {
  const form = useId();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState(String(days));
  const save = useAction({
    run: () => call('POST /activity/retention', { body: { days: Number(typed) } }),
    topics: ['activity'],
    done: ACTIVITY.saved,
    onDone: () => setOpen(false),
    showsFailure: true,
  });
  const open = () => {
    save.reset();
    setTyped(String(days));
    setOpen(true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <>
      <Button kind="quiet" icon="clock" onClick={open}>
        {ACTIVITY.retention}
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={ACTIVITY.retention}
        lead={ACTIVITY.retentionLead}
        actions={
          <>
            <Button kind="quiet" onClick={() => setOpen(false)}>
              {PARTS.cancel}
            </Button>
            <Button type="submit" form={form} busy={save.isPending}>
              {ACTIVITY.save}
            </Button>
          </>
        }
      >
        <form id={form} className="form" onSubmit={submit} noValidate>
          <FormProblem error={save.error} fields={['days']} />
          <Field
            label={ACTIVITY.days}
            hint={ACTIVITY.daysHint(AUDIT_DAYS.min, AUDIT_DAYS.max)}
            error={fieldProblem(save.error, 'days')}
          >
            <Input type="number" inputMode="numeric" value={typed} onChange={setTyped} />
          </Field>
        </form>
      </Dialog>
    </>
  );
}
