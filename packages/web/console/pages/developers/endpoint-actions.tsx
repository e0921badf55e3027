import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { readZonedTime } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { FormProblem, TextField } from '../../parts/form.tsx';
import { useZone, useZoneHint } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { ENDPOINT } from './texts.ts';

export type EndpointDialog = 'off' | 'rotate' | 'remove' | 'edit' | 'replay' | 'sample' | null;

export function useEndpointActions(id: string, close: () => void) {
  const navigate = useNavigate();
  const params = { id };
  const rotations = useRetryKeys<{ id: string }>();
  const [secret, setSecret] = useState<string | null>(null);
  const shared = { topics: ['webhooks'], onDone: close } as const;
  return {
    secret,
    forgetSecret: () => setSecret(null),
    setActive: useAction({
      ...shared,
      run: (active: boolean) => call('POST /v1/webhook_endpoints/{id}', { params, body: { active } }),
      done: ({ active }) => (active ? ENDPOINT.isOn : ENDPOINT.isOff),
    }),
    test: useAction({
      ...shared,
      run: () => call('POST /v1/webhook_endpoints/{id}/test', { params, body: {} }),
      done: ENDPOINT.tested,
    }),
    rotate: useAction({
      ...shared,
      run: () => call('POST /v1/webhook_endpoints/{id}/rotate_secret', { params, key: rotations(params).key }),
      onDone(rotated) {
        rotations.done();
        close();
        setSecret(rotated.secret);
      },
    }),
    remove: useAction({
      topics: [],
      run: () => call('DELETE /v1/webhook_endpoints/{id}', { params }),
      done: ENDPOINT.removed,
      onDone: () => void navigate({ to: '/developers/webhooks' }),
    }),
  };
}

interface ConfirmationsProps {
  actions: ReturnType<typeof useEndpointActions>;
  dialog: EndpointDialog;
  onClose: () => void;
}

export function EndpointConfirmations({ actions: { setActive, rotate, remove }, dialog, onClose }: ConfirmationsProps) {
  const confirm = (kind: EndpointDialog) => ({
    open: dialog === kind,
    onOpenChange: (next: boolean) => next || onClose(),
  });
  return (
    <>
      <Confirm
        {...confirm('off')}
        title={ENDPOINT.turnOffTitle}
        action={ENDPOINT.turnOff}
        run={{ ...setActive, mutate: () => setActive.mutate(false) }}
      >
        {ENDPOINT.turnOffLead}
      </Confirm>
      <Confirm {...confirm('rotate')} title={ENDPOINT.rotateTitle} action={ENDPOINT.rotate} run={rotate}>
        {ENDPOINT.rotateLead}
      </Confirm>
      <Confirm {...confirm('remove')} title={ENDPOINT.removeTitle} action={ENDPOINT.removeAction} danger run={remove}>
        {ENDPOINT.removeLead}
      </Confirm>
    </>
  );
}

interface ReplayProps {
  endpointId: string;
  open: boolean;
  onClose: () => void;
}

/** Times are entered in the organization's time zone. */
export function ReplayDialog({ endpointId, open, onClose }: ReplayProps) {
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const form = useId();
  const zone = useZone();
  const zoneHint = useZoneHint();
  const replay = useAction({
    run: () => {
      const end = readZonedTime(until, zone);
      return call('POST /v1/webhook_endpoints/{id}/replay', {
        params: { id: endpointId },
        body: { since: readZonedTime(since, zone) ?? '', ...(end !== undefined && { until: end }) },
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
        <TextField
          label={ENDPOINT.from}
          hint={zoneHint}
          error={fieldProblem(replay.error, 'since')}
          type="datetime-local"
          value={since}
          onChange={setSince}
        />
        <TextField
          label={ENDPOINT.until}
          optional
          hint={`${zoneHint}. ${ENDPOINT.untilHint}`}
          error={fieldProblem(replay.error, 'until')}
          type="datetime-local"
          value={until}
          onChange={setUntil}
        />
        <FormProblem error={replay.error} fields={['since', 'until']} />
      </form>
    </Dialog>
  );
}
