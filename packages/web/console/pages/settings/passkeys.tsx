import type { OwnPasskeys, Passkey } from '@foreword/contract';
import { NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { ApiFailure, fieldProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { createPasskey, describePasskeyProblem, supportsPasskeys } from '../../passkeys.ts';
import { useAction } from '../../queries.ts';
import { PASSKEYS } from '../../texts/passkeys.ts';

const TOPIC = 'passkeys';
/** `session`: the banner about a missing passkey. */
const TOPICS = [TOPIC, 'session', 'second-factor'];

interface NameDialogProps {
  title: string;
  lead?: string;
  action: string;
  name: string;
  busy: boolean;
  error: unknown;
  onSubmit: (name: string) => void;
  onClose: () => void;
}

/** Asks for the name of a new or existing passkey. */
function NameDialog({ title, lead, action, busy, error, onSubmit, onClose, ...rest }: NameDialogProps) {
  const [name, setName] = useState(rest.name);
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onSubmit(name.trim());
  };
  // Only the server's errors name a field; the browser's explain what to do.
  const problem = error instanceof ApiFailure || error === null ? null : describePasskeyProblem(error);
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={title}
      lead={lead}
      actions={
        <Button type="submit" form={form} busy={busy}>
          {action}
        </Button>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <Field label={PASSKEYS.name} hint={PASSKEYS.nameHint} error={fieldProblem(error, 'name')}>
          <Input value={name} onChange={setName} maxLength={NAME_MAX_LENGTH} />
        </Field>
        {problem === null ? (
          <FormProblem error={error} fields={['name']} />
        ) : (
          <Notice tone="bad" live>
            {problem}
          </Notice>
        )}
      </form>
    </Dialog>
  );
}

function AddDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const add = useAction({
    async run(chosen: string) {
      const response = await createPasskey(await call('POST /passkeys/options'));
      // The library's type lists the fields; the contract allows more.
      return call('POST /passkeys', { body: { name: chosen, response: { ...response } } });
    },
    topics: TOPICS,
    showsFailure: true,
    done: PASSKEYS.added,
    onDone: onClose,
  });
  return (
    <NameDialog
      {...{ title: PASSKEYS.add, lead: PASSKEYS.addLead, action: PASSKEYS.addAction, name, onClose }}
      busy={add.isPending}
      error={add.error}
      onSubmit={add.mutate}
    />
  );
}

function RenameDialog({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useAction({
    run: (chosen: string) => call('POST /passkeys/:id', { params: { id }, body: { name: chosen } }),
    topics: [TOPIC],
    showsFailure: true,
    done: PASSKEYS.renamed,
    onDone: onClose,
  });
  return (
    <NameDialog
      {...{ title: PASSKEYS.renameTitle, action: PASSKEYS.renameAction, name, onClose }}
      busy={rename.isPending}
      error={rename.error}
      onSubmit={rename.mutate}
    />
  );
}

function RemoveDialog({ passkey, isLast, onClose }: { passkey: Passkey; isLast: boolean; onClose: () => void }) {
  const { id, name } = passkey;
  const remove = useAction({
    run: () => call('DELETE /passkeys/:id', { params: { id } }),
    topics: TOPICS,
    showsFailure: true,
    done: PASSKEYS.removed,
    onDone: onClose,
  });
  return (
    <Confirm
      open
      onOpenChange={(next) => next || onClose()}
      title={PASSKEYS.removeTitle(name)}
      action={PASSKEYS.removeAction}
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      <p>{PASSKEYS.removeLead}</p>
      {isLast && <p>{PASSKEYS.removeLast}</p>}
    </Confirm>
  );
}

type Open = { readonly kind: 'add' } | { readonly kind: 'rename' | 'remove'; readonly passkey: Passkey };

function PasskeyList({ passkeys, onOpen }: { passkeys: readonly Passkey[]; onOpen: (open: Open) => void }) {
  return (
    <ul className="list" aria-label={PASSKEYS.list}>
      {passkeys.map((passkey) => (
        <li key={passkey.id} className="list-row sign-in-row passkey-row">
          <span className="row-text">
            <span className="row-main">{passkey.name}</span>
            <span className="row-more">
              {PASSKEYS.created} <Time at={passkey.created_at} style="date" />
              {passkey.last_used_at !== null && (
                <>
                  {' · '}
                  {PASSKEYS.used} <Time at={passkey.last_used_at} />
                </>
              )}
            </span>
          </span>
          <Button
            kind="quiet"
            small
            aria-label={PASSKEYS.renameOf(passkey.name)}
            onClick={() => onOpen({ kind: 'rename', passkey })}
          >
            {PASSKEYS.rename}
          </Button>
          <Button
            kind="quiet"
            small
            aria-label={PASSKEYS.removeOf(passkey.name)}
            onClick={() => onOpen({ kind: 'remove', passkey })}
          >
            {PASSKEYS.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Ends the session and returns here after signing in. */
const signInAgain = async (): Promise<void> => {
  await call('POST /session/sign-out');
  window.location.assign(`/console/signin?next=${encodeURIComponent('/console/settings')}`);
};

function Content({ own }: { own: OwnPasskeys }) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const leave = useAction({ run: signInAgain });
  const { passkeys } = own;
  const obstacle = own.unavailable_because ?? (supportsPasskeys() ? null : PASSKEYS.unsupported);
  return (
    <>
      {passkeys.length === 0 ? <p>{PASSKEYS.empty}</p> : <PasskeyList passkeys={passkeys} onOpen={setOpen} />}
      {obstacle !== null && <Notice tone="warn">{obstacle}</Notice>}
      {obstacle === null && own.needs_sign_in && <Notice>{PASSKEYS.needsSignIn}</Notice>}
      {obstacle === null && (
        <div className="form-actions">
          {own.needs_sign_in ? (
            <Button kind="quiet" busy={leave.isPending} onClick={() => leave.mutate()}>
              {PASSKEYS.signInAgain}
            </Button>
          ) : (
            <Button kind="quiet" icon="plus" onClick={() => setOpen({ kind: 'add' })}>
              {PASSKEYS.add}
            </Button>
          )}
        </div>
      )}
      {open?.kind === 'add' && <AddDialog name={own.suggested_name} onClose={close} />}
      {open?.kind === 'rename' && <RenameDialog passkey={open.passkey} onClose={close} />}
      {open?.kind === 'remove' && (
        <RemoveDialog passkey={open.passkey} isLast={passkeys.length === 1} onClose={close} />
      )}
    </>
  );
}

/** The member's own passkeys. */
export function Passkeys() {
  const own = useQuery({ queryKey: [TOPIC], queryFn: ({ signal }) => call('GET /passkeys', {}, signal) });
  return (
    <Card title={PASSKEYS.title} lead={PASSKEYS.lead}>
      <Loaded query={own}>{(loaded) => <Content own={loaded} />}</Loaded>
    </Card>
  );
}
