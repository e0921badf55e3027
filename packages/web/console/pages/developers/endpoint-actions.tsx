import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { ENDPOINT } from '../../texts/developers.ts';

export type EndpointDialog = 'off' | 'rotate' | 'remove' | 'edit' | 'replay' | null;

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
      run: (active: boolean) => call('POST /webhooks/:id', { params, body: { active } }),
      done: ({ active }) => (active ? ENDPOINT.isOn : ENDPOINT.isOff),
    }),
    test: useAction({ ...shared, run: () => call('POST /webhooks/:id/test', { params }), done: ENDPOINT.tested }),
    rotate: useAction({
      ...shared,
      run: () => call('POST /webhooks/:id/rotate-secret', { params, body: { key: rotations(params).key } }),
      onDone(rotated) {
        rotations.done();
        close();
        setSecret(rotated.secret);
      },
    }),
    remove: useAction({
      topics: [],
      run: () => call('DELETE /webhooks/:id', { params }),
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
        busy={setActive.isPending}
        error={setActive.error}
        onConfirm={() => setActive.mutate(false)}
      >
        {ENDPOINT.turnOffLead}
      </Confirm>
      <Confirm
        {...confirm('rotate')}
        title={ENDPOINT.rotateTitle}
        action={ENDPOINT.rotate}
        busy={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate()}
      >
        {ENDPOINT.rotateLead}
      </Confirm>
      <Confirm
        {...confirm('remove')}
        title={ENDPOINT.removeTitle}
        action={ENDPOINT.removeAction}
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        {ENDPOINT.removeLead}
      </Confirm>
    </>
  );
}
