import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem } from '../../failure.ts';
import { readLocalTime } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { useAction } from '../../queries.ts';
import { ENDPOINT } from '../../texts/developers.ts';

interface ReplayProps {
  endpointId: string;
  open: boolean;
  onClose: () => void;
}

/** Times are entered in the browser's time zone. */
export function ReplayDialog({ endpointId, open, onClose }: ReplayProps) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const form = useId();
  const replay = useAction({
    run: () => {
      const end = readLocalTime(until);
      return call('POST /webhooks/:id/replay', {
        params: { id: endpointId },
        body: { since: readLocalTime(since) ?? '', ...(end !== undefined && { until: end }) },
      });
    },
    topics: ['webhooks'],
    showsFailure: true,
    done: ({ messages }) => ENDPOINT.replayed(messages),
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!replay.isPending) replay.mutate();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || onClose()}
      title={ENDPOINT.replay}
      lead={ENDPOINT.replayLead}
      actions={
        <Button type="submit" form={form} busy={replay.isPending}>
          {ENDPOINT.replayAction}
        </Button>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <Field label={ENDPOINT.from} error={fieldProblem(replay.error, 'since')}>
          <Input type="datetime-local" value={since} onChange={setSince} />
        </Field>
        <Field label={ENDPOINT.until} optional hint={ENDPOINT.untilHint} error={fieldProblem(replay.error, 'until')}>
          <Input type="datetime-local" value={until} onChange={setUntil} />
        </Field>
        <FormProblem error={replay.error} fields={['since', 'until']} />
      </form>
    </Dialog>
  );
}
