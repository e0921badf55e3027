import type { ActiveSignIn, OwnPasskeys, Passkey, SecondFactor } from '@foreword/contract';
import { NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiFailure, call, fieldProblem } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, FormDialog } from '../../parts/dialog.tsx';
import { Badge, Card, Notice, PageHeader, RowText } from '../../parts/display.tsx';
import { TextField } from '../../parts/form.tsx';
import { Loaded, Together } from '../../parts/states.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { createPasskey, describePasskeyProblem, supportsPasskeys } from '../../passkeys.ts';
import { load, useAction } from '../../queries.ts';
import { NAV } from '../../texts.ts';
import { LINK_DOMAINS_QUERY, LinkDomains } from './link-domains.tsx';
import { PASSKEYS, SECOND_FACTOR } from './passkeys-texts.ts';
import { SETTINGS } from './texts.ts';

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
  // Only the server's errors name a field; the browser's explain what to do.
  const problem = error instanceof ApiFailure || error === null ? null : describePasskeyProblem(error);
  return (
    <FormDialog
      onClose={onClose}
      title={title}
      lead={lead}
      submit={action}
      action={{ isPending: busy, error: problem === null ? error : null }}
      fields={['name']}
      onSubmit={() => onSubmit(name.trim())}
    >
      <TextField
        label={PASSKEYS.name}
        hint={PASSKEYS.nameHint}
        error={fieldProblem(error, 'name')}
        value={name}
        onChange={setName}
        maxLength={NAME_MAX_LENGTH}
      />
      {problem !== null && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
    </FormDialog>
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
    run: (chosen: string) => call('POST /passkeys/{id}', { params: { id }, body: { name: chosen } }),
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
    run: () => call('DELETE /passkeys/{id}', { params: { id } }),
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
      run={remove}
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
        <li key={passkey.id} className="list-row entry line wrap gap-16">
          <RowText main={passkey.name}>
            {PASSKEYS.created} <Time at={passkey.created_at} style="date" />
            {passkey.last_used_at !== null && (
              <>
                {' · '}
                {PASSKEYS.used} <Time at={passkey.last_used_at} />
              </>
            )}
          </RowText>
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
  window.location.assign(`/console/signin?next=${encodeURIComponent('/console/account')}`);
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

export const PASSKEYS_QUERY = load([TOPIC], 'GET /passkeys');

/** The member's own passkeys. */
export function Passkeys() {
  const own = useQuery(PASSKEYS_QUERY);
  return (
    <Card title={PASSKEYS.title} lead={PASSKEYS.lead}>
      <Loaded query={own}>{(loaded) => <Content own={loaded} />}</Loaded>
    </Card>
  );
}

const REQUIRED_TOPIC = 'second-factor';

function Requirement({ setting: { required_from: from, missing } }: { setting: SecondFactor }) {
  const nowMs = useNowMs();
  const change = useAction({
    run: (required: boolean) => call('POST /second-factor', { body: { required } }),
    topics: [REQUIRED_TOPIC, 'session'],
    done: ({ required_from: now }) => (now === null ? SECOND_FACTOR.turnedOff : SECOND_FACTOR.turnedOn),
  });
  return (
    <>
      <p>
        {from === null && SECOND_FACTOR.off}
        {from !== null && (
          <>
            {Date.parse(from) > nowMs ? SECOND_FACTOR.requiredFrom : SECOND_FACTOR.requiredSince}{' '}
            <Time at={from} style="dateTime" />
          </>
        )}
      </p>
      <p>{missing.length === 0 ? SECOND_FACTOR.everyone : SECOND_FACTOR.missing(missing.map(formatName))}</p>
      <div className="form-actions">
        <Button kind="quiet" busy={change.isPending} onClick={() => change.mutate(from === null)}>
          {from === null ? SECOND_FACTOR.on : SECOND_FACTOR.turnOff}
        </Button>
      </div>
    </>
  );
}

const REQUIRED_QUERY = load([REQUIRED_TOPIC], 'GET /second-factor');

/** Whether owners and managers need a passkey. */
function RequirePasskeys() {
  const setting = useQuery(REQUIRED_QUERY);
  return (
    <Card title={SECOND_FACTOR.title} lead={SECOND_FACTOR.lead}>
      <Loaded query={setting}>{(loaded) => <Requirement setting={loaded} />}</Loaded>
    </Card>
  );
}

const SIGN_INS_TOPIC = 'sign-ins';

function SignIn({ signIn }: { signIn: ActiveSignIn }) {
  const { id, device, is_this: isThis, last_seen_at: seenAt } = signIn;
  const end = useAction({
    run: () => call('DELETE /sessions/{id}', { params: { id } }),
    topics: [SIGN_INS_TOPIC],
    done: SETTINGS.signedOutOf(device),
  });
  return (
    <li className="list-row entry line gap-16">
      <RowText main={device}>
        {SETTINGS.lastSeen} <Time at={seenAt} />
      </RowText>
      {isThis ? (
        <Badge tone="good">{SETTINGS.here}</Badge>
      ) : (
        <Button
          kind="quiet"
          small
          busy={end.isPending}
          aria-label={SETTINGS.signOutOf(device)}
          onClick={() => end.mutate()}
        >
          {SETTINGS.signOut}
        </Button>
      )}
    </li>
  );
}

function SignOutButtons({ hasOthers }: { hasOthers: boolean }) {
  const [isLeaving, setLeaving] = useState(false);
  const others = useAction({
    run: () => call('POST /sessions/revoke-others'),
    topics: [SIGN_INS_TOPIC],
    done: SETTINGS.signedOutOthers,
  });
  const here = useAction({
    run: () => call('POST /session/sign-out'),
    onDone: () => {
      setLeaving(true);
      window.location.assign('/console/signin?out=1');
    },
  });
  return (
    <div className="form-actions">
      {hasOthers && (
        <Button kind="quiet" busy={others.isPending} onClick={() => others.mutate()}>
          {SETTINGS.signOutOthers}
        </Button>
      )}
      <Button kind="quiet" icon="leave" busy={here.isPending || isLeaving} onClick={() => here.mutate()}>
        {SETTINGS.signOutHere}
      </Button>
    </div>
  );
}

export const SIGN_INS_QUERY = load([SIGN_INS_TOPIC], 'GET /sessions');

/** All browsers this member is signed in with. */
export function SignIns() {
  const signIns = useQuery(SIGN_INS_QUERY);
  return (
    <Card title={SETTINGS.signInsTitle} lead={SETTINGS.signInsLead}>
      <Loaded query={signIns}>
        {({ sessions }) => (
          <>
            <ul className="list" aria-label={SETTINGS.signInsList}>
              {sessions.map((signIn) => (
                <SignIn key={signIn.id} signIn={signIn} />
              ))}
            </ul>
            <SignOutButtons hasOthers={sessions.length > 1} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** For owners: how the team signs in, and the hosts of recipients' links. */
export const SecurityPage = () => (
  <>
    <PageHeader title={NAV.security} />
    <Together queries={[REQUIRED_QUERY, LINK_DOMAINS_QUERY]}>
      <RequirePasskeys />
      <LinkDomains />
    </Together>
  </>
);
