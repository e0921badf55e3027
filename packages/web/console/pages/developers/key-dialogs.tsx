import type { ApiKey, NewApiKey } from '@foreword/contract';
import { type FormEvent, useId, useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { useAttempts } from '../../attempts.ts';
import { fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { KEYS } from '../../texts/developers.ts';
import { useUnsaved } from '../../unsaved.ts';
import { rememberKey } from './fresh-key.ts';
import { ShownOnce } from './shown-once.tsx';

const RECENTLY_MS = 86_400_000;

const NewKey = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <ShownOnce
    title={KEYS.made}
    lead={KEYS.madeLead}
    label={KEYS.key}
    secret={secret}
    done={KEYS.done}
    onDone={onDone}
    more={
      <LinkButton to="/developers" kind="quiet">
        {KEYS.tryIt}
      </LinkButton>
    }
  />
);

/** Names a key, makes it, and shows it this once. */
export function CreateKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const [made, setMade] = useState<NewApiKey | null>(null);
  const form = useId();
  const attempts = useAttempts<{ name: string }>();
  useUnsaved(open && name !== '');
  const create = useAction({
    run: () => call('POST /keys', { body: attempts({ name: name.trim() }) }),
    topics: ['keys'],
    showsFailure: true,
    onDone(answer) {
      attempts.done();
      rememberKey(answer.secret);
      setMade(answer);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  const close = () => {
    onClose();
    setMade(null);
    setName('');
    create.reset();
  };
  if (made !== null) return <NewKey secret={made.secret} onDone={close} />;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || close()}
      title={KEYS.create}
      lead={KEYS.createLead}
      actions={
        <Button type="submit" form={form} busy={create.isPending}>
          {KEYS.create}
        </Button>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <Field label={KEYS.name} hint={KEYS.nameHint} error={fieldProblem(create.error, 'name')}>
          <Input value={name} onChange={setName} maxLength={100} />
        </Field>
        <FormProblem error={create.error} fields={['name']} />
      </form>
    </Dialog>
  );
}

export function RevokeKey({ revoked, nowMs, onClose }: { revoked: ApiKey | null; nowMs: number; onClose: () => void }) {
  const revoke = useAction({
    run: ({ id }: ApiKey) => call('POST /keys/:id/revoke', { params: { id } }),
    topics: ['keys'],
    showsFailure: true,
    done: ({ name }) => KEYS.revokeDone(name),
    onDone: onClose,
  });
  const used = revoked?.last_used_at ?? null;
  const close = () => {
    revoke.reset();
    onClose();
  };
  return (
    <Confirm
      open={revoked !== null}
      onOpenChange={(next) => next || close()}
      title={KEYS.revokeTitle(revoked?.name ?? '')}
      action={KEYS.revokeAction}
      danger
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoked !== null && revoke.mutate(revoked)}
    >
      <p>{KEYS.revokeLead}</p>
      {used !== null && nowMs - Date.parse(used) < RECENTLY_MS && <p>{KEYS.revokeUsed}</p>}
    </Confirm>
  );
}
