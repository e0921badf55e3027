import type { WebhookEventChoice, WebhookEventType } from '@foreword/contract';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormProblem, SelectField } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { ENDPOINT } from './texts.ts';

interface SampleProps {
  endpointId: string;
  choices: readonly WebhookEventChoice[];
  onClose: () => void;
}

/** Sends a realistic message of one type to this endpoint. */
export function SampleDialog({ endpointId, choices, onClose }: SampleProps) {
  const [type, setType] = useState('intro.ready');
  const form = useId();
  const send = useAction({
    // The choices are the event types that the server lists.
    run: () =>
      call('POST /v1/webhook_endpoints/{id}/test', {
        params: { id: endpointId },
        body: { type: type as WebhookEventType },
      }),
    topics: ['webhooks'],
    showsFailure: true,
    done: ENDPOINT.tested,
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!send.isPending) send.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={ENDPOINT.sample}
      lead={ENDPOINT.sampleLead}
      actions={
        <Button type="submit" form={form} busy={send.isPending}>
          {ENDPOINT.sampleAction}
        </Button>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <SelectField
          label={ENDPOINT.sampleType}
          value={type}
          options={choices.map((each) => ({ value: each.type, label: each.type }))}
          onChange={setType}
        />
        <FormProblem error={send.error} fields={[]} />
      </form>
    </Dialog>
  );
}
