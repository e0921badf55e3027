import type { ActiveSignIn, OwnPasskeys, Passkey, SecondFactor } from '@foreword/contract';
import { NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { ActionButton, AskButton, FieldsButton } from '../../parts/actions.tsx';
import { Badge, Card, Notice, PageHeader, RowText } from '../../parts/display.tsx';
import type { FieldInfo } from '../../parts/form.tsx';
import { Loaded, Together } from '../../parts/states.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { createPasskey, supportsPasskeys } from '../../passkeys.ts';
import { load } from '../../queries.ts';
import { FRAME, NAV, PARTS } from '../../texts.ts';
import { LINK_DOMAINS_QUERY, LinkDomains } from './link-domains.tsx';
import { PASSKEYS, SECOND_FACTOR } from './passkeys-texts.ts';

const TOPIC = 'passkeys';
/** `session`: the banner about a missing passkey. */
const TOPICS = [TOPIC, 'session', 'second-factor'];

const NAME: FieldInfo<{ name: string }> = {
  ...{
    name: 'name',
    label: 'Name',
    hint: 'A name you will recognize, such as the device that holds it.',
    most: NAME_MAX_LENGTH,
  },
};

const AddButton = ({ name }: { name: string }) => (
  <FieldsButton
    button={{ icon: 'plus', label: PASSKEYS.add }}
    title={PASSKEYS.add}
    lead="Your browser asks where to save it. It signs you in on every device that has it."
    submit="Continue"
    list={[NAME]}
    initial={{ name }}
    run={async (chosen) => {
      const response = await createPasskey(await call('POST /passkeys/options'));
      // The library's type lists the fields; the contract allows more.
      return call('POST /passkeys', { body: { ...chosen, response: { ...response } } });
    }}
    topics={TOPICS}
    done="Passkey added"
  />
);

const RenameButton = ({ passkey: { id, name } }: { passkey: Passkey }) => (
  <FieldsButton
    button={{ small: true, label: 'Rename', 'aria-label': `Rename ${name}` }}
    title="Rename passkey"
    submit={PARTS.save}
    list={[NAME]}
    initial={{ name }}
    run={(body) => call('POST /passkeys/{id}', { params: { id }, body })}
    topics={[TOPIC]}
    done="Passkey renamed"
  />
);

const RemoveButton = ({ passkey: { id, name }, isLast }: { passkey: Passkey; isLast: boolean }) => (
  <AskButton
    button={{ small: true, label: 'Remove', 'aria-label': `Remove ${name}` }}
    title={`Remove “${name}”?`}
    action="Remove passkey"
    danger
    run={() => call('DELETE /passkeys/{id}', { params: { id } })}
    topics={TOPICS}
    done="Passkey removed"
  >
    <p>It no longer signs you in. Delete it on your device as well.</p>
    {isLast && <p>{PASSKEYS.removeLast}</p>}
  </AskButton>
);

const PasskeyList = ({ passkeys }: { passkeys: readonly Passkey[] }) => (
  <ul className="list" aria-label="Your passkeys">
    {passkeys.map((passkey) => (
      <li key={passkey.id} className="list-row entry line wrap gap-16">
        <RowText main={passkey.name}>
          Added <Time at={passkey.created_at} style="date" />
          {passkey.last_used_at !== null && (
            <>
              {' · '}
              Last used <Time at={passkey.last_used_at} />
            </>
          )}
        </RowText>
        <RenameButton passkey={passkey} />
        <RemoveButton passkey={passkey} isLast={passkeys.length === 1} />
      </li>
    ))}
  </ul>
);

/** Ends the session and returns here after signing in. */
const signInAgain = async (): Promise<void> => {
  await call('POST /session/sign-out');
  window.location.assign(`/console/signin?next=${encodeURIComponent('/console/account')}`);
};

function Content({ own }: { own: OwnPasskeys }) {
  const { passkeys } = own;
  const obstacle = own.unavailable_because ?? (supportsPasskeys() ? null : PASSKEYS.unsupported);
  return (
    <>
      {passkeys.length === 0 ? <p>{PASSKEYS.empty}</p> : <PasskeyList passkeys={passkeys} />}
      {obstacle !== null && <Notice tone="warn">{obstacle}</Notice>}
      {obstacle === null && own.needs_sign_in && <Notice>{PASSKEYS.needsSignIn}</Notice>}
      {obstacle === null &&
        (own.needs_sign_in ? (
          <ActionButton label="Sign in again" run={signInAgain} />
        ) : (
          <AddButton name={own.suggested_name} />
        ))}
    </>
  );
}

export const PASSKEYS_QUERY = load([TOPIC], 'GET /passkeys');

/** The member's own passkeys. */
export const Passkeys = () => (
  <Card title="Passkeys" lead={PASSKEYS.lead}>
    <Loaded query={PASSKEYS_QUERY}>{(own) => <Content own={own} />}</Loaded>
  </Card>
);

const REQUIRED_TOPIC = 'second-factor';

function Requirement({ setting: { required_from: from, missing } }: { setting: SecondFactor }) {
  const nowMs = useNowMs();
  return (
    <>
      <p>
        {from === null && 'Not required'}
        {from !== null && (
          <>
            {Date.parse(from) > nowMs ? 'Required from' : 'Required since'} <Time at={from} style="dateTime" />
          </>
        )}
      </p>
      <p>
        {missing.length === 0
          ? 'Every owner and manager has a passkey.'
          : SECOND_FACTOR.missing(missing.map(formatName))}
      </p>
      <ActionButton
        label={from === null ? SECOND_FACTOR.title : 'Stop requiring'}
        run={() => call('POST /second-factor', { body: { required: from === null } })}
        topics={[REQUIRED_TOPIC, 'session']}
        done={({ required_from: now }) =>
          now === null ? 'Passkeys are no longer required.' : 'Passkeys are required from next week.'
        }
      />
    </>
  );
}

const REQUIRED_QUERY = load([REQUIRED_TOPIC], 'GET /second-factor');

/** Whether owners and managers need a passkey. */
const RequirePasskeys = () => (
  <Card title={SECOND_FACTOR.title} lead={SECOND_FACTOR.lead}>
    <Loaded query={REQUIRED_QUERY}>{(setting) => <Requirement setting={setting} />}</Loaded>
  </Card>
);

const SIGN_INS_TOPIC = 'sign-ins';

const SignIn = ({ signIn: { id, device, is_this: isThis, last_seen_at: seenAt } }: { signIn: ActiveSignIn }) => (
  <li className="list-row entry line gap-16">
    <RowText main={device}>
      Last active <Time at={seenAt} />
    </RowText>
    {isThis ? (
      <Badge tone="good">This device</Badge>
    ) : (
      <ActionButton
        small
        label={FRAME.signOut}
        aria-label={`Sign out of ${device}`}
        run={() => call('DELETE /sessions/{id}', { params: { id } })}
        topics={[SIGN_INS_TOPIC]}
        done={`Signed out of ${device}`}
      />
    )}
  </li>
);

export const SIGN_INS_QUERY = load([SIGN_INS_TOPIC], 'GET /sessions');

/** All browsers this member is signed in with. */
export const SignIns = () => (
  <Card title="Where you’re signed in" lead="Sign out of any device you don’t recognize.">
    <Loaded query={SIGN_INS_QUERY}>
      {({ sessions }) => (
        <>
          <ul className="list" aria-label="Devices">
            {sessions.map((signIn) => (
              <SignIn key={signIn.id} signIn={signIn} />
            ))}
          </ul>
          {sessions.length > 1 && (
            <ActionButton
              label="Sign out everywhere else"
              run={() => call('POST /sessions/revoke-others')}
              topics={[SIGN_INS_TOPIC]}
              done="Signed out of all other devices"
            />
          )}
        </>
      )}
    </Loaded>
  </Card>
);

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
