import type { ApiKey, NewApiKey } from '@foreword/contract';
import { KEY_SCOPES, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { DAY_MS } from '@foreword/contract/plain/times';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatRelative, readZonedTime, toZonedTime } from '../../format.ts';
import { useNewDialog } from '../../hooks.ts';
import { AskButton, FieldsButton, FieldsDialog } from '../../parts/actions.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Badge, PageHeader } from '../../parts/display.tsx';
import type { FieldInfo } from '../../parts/form.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time, useNowMs, useZone, useZoneHint } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { PARTS } from '../../texts.ts';
import { rememberNewKey, SecretDialog } from './secret-dialog.tsx';
import { KEYS } from './texts.ts';

/** A key as the form shows it. */
interface KeyDraft extends Pick<ApiKey, 'name' | 'scope' | 'recording_links' | 'agent_writes'> {
  /** The value of a `datetime-local` input. */
  readonly expires_at: string | null;
  /** One address or network per line. */
  readonly allowed_ips: string | null;
}

type Limited = Pick<ApiKey, 'name' | 'scope' | 'recording_links' | 'agent_writes' | 'expires_at' | 'allowed_ips'>;

const NEW_KEY: Limited = {
  ...{ name: '', scope: 'full', recording_links: false, agent_writes: false, expires_at: null, allowed_ips: [] },
};

/** Converts the form's values to the limits of a key, and back. */
function useLimits(key: Limited) {
  const zone = useZone();
  const zoneHint = useZoneHint();
  const shown = key.expires_at && toZonedTime(key.expires_at, zone);
  const initial: KeyDraft = { ...key, expires_at: shown, allowed_ips: key.allowed_ips.join('\n') };
  return {
    initial,
    fields: (draft: KeyDraft) => limitFields(zoneHint, draft),
    toBody: (draft: KeyDraft) => ({
      scope: draft.scope,
      recording_links: draft.scope === 'full' && draft.recording_links,
      agent_writes: draft.scope !== 'read' && draft.agent_writes,
      // The input has no seconds.
      expires_at: draft.expires_at === shown ? key.expires_at : (readZonedTime(draft.expires_at ?? '', zone) ?? null),
      allowed_ips: [...new Set((draft.allowed_ips ?? '').split(/[\s,]+/).filter((line) => line !== ''))],
    }),
  };
}

const NAME: FieldInfo<KeyDraft> = {
  name: 'name',
  label: KEYS.name,
  hint: 'For example, the system that will use it.',
  most: NAME_MAX_LENGTH,
};
const RECORDING_LINKS: FieldInfo<KeyDraft> = {
  ...{
    name: 'recording_links',
    label: 'Allow recording links',
    hint: 'The key can also get the links under which members record.',
    kind: 'check',
  },
};
const AGENT_WRITES: FieldInfo<KeyDraft> = {
  ...{ name: 'agent_writes', label: 'Allow changes by AI agents', hint: KEYS.agentWritesHint, kind: 'check' },
};
const ALLOWED_IPS: FieldInfo<KeyDraft> = {
  ...{ name: 'allowed_ips', label: 'Allowed IP addresses', hint: KEYS.allowedIpsHint, kind: 'area', optional: true },
  input: { spellCheck: false },
};

const limitFields = (zoneHint: string, { scope }: KeyDraft): readonly FieldInfo<KeyDraft>[] => [
  {
    ...{ name: 'scope', label: 'Access', kind: 'radios' },
    options: KEY_SCOPES.map((value) => ({
      value,
      label: KEYS.scopeChoices[value].name,
      hint: KEYS.scopeChoices[value].hint,
    })),
  },
  ...(scope === 'full' ? [RECORDING_LINKS] : []),
  ...(scope === 'read' ? [] : [AGENT_WRITES]),
  {
    name: 'expires_at',
    label: 'Expires',
    hint: `${zoneHint}. Owners get an email a week before.`,
    kind: 'time',
    optional: true,
  },
  ALLOWED_IPS,
];

/** "Read only · Expires in 6 days", below the key's name. */
function LimitsSummary({ of: key }: { of: ApiKey }) {
  const { scope, expires_at: expiresAt, allowed_ips: allowedIps } = key;
  const [now, zone] = [useNowMs(), useZone()];
  const parts = [
    KEYS.scopeChoices[scope].name,
    key.recording_links && 'Recording links',
    key.agent_writes && 'Changes by agents',
    expiresAt !== null &&
      `${Date.parse(expiresAt) <= now ? 'Expired' : 'Expires'} ${formatRelative(expiresAt, now, zone)}`,
    allowedIps.length > 0 && KEYS.onlyFrom(allowedIps),
  ].filter((part) => part !== false);
  return <span className="hint">{parts.join(' · ')}</span>;
}

const isExpired = ({ expires_at: expiresAt }: ApiKey, atMs: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= atMs;

const RECENTLY_MS = DAY_MS;

/** Asks for a name and limits, creates the key, and shows it once. */
function CreateKey({ onClose }: { onClose: () => void }) {
  const { initial, fields, toBody } = useLimits(NEW_KEY);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  if (created !== null) {
    return (
      <SecretDialog
        title="Your new key"
        lead="Copy it now and store it like a password. It won’t be shown again."
        label="Key"
        secret={created.secret}
        onDone={onClose}
        more={<LinkButton to="/developers" kind="quiet" label="Try it" />}
      />
    );
  }
  return (
    <FieldsDialog
      title={KEYS.create}
      lead="The key is shown only once, in the next step."
      submit={KEYS.create}
      list={(draft) => [NAME, ...fields(draft)]}
      initial={initial}
      run={(draft, key) => call('POST /keys', { body: { name: draft.name, ...toBody(draft) }, key })}
      topics={['keys']}
      staysOpen
      onDone={(key) => {
        rememberNewKey(key.secret);
        setCreated(key);
      }}
      onClose={onClose}
    />
  );
}

function ChangeButton({ changed }: { changed: ApiKey }) {
  const { initial, fields, toBody } = useLimits(changed);
  return (
    <FieldsButton
      button={{ small: true, label: 'Change', 'aria-label': `Change ${changed.name}` }}
      title={`Change “${changed.name}”`}
      lead="Changes apply within a second."
      submit={PARTS.save}
      list={fields}
      initial={initial}
      run={(draft) => call('POST /keys/{id}', { params: { id: changed.id }, body: toBody(draft) })}
      topics={['keys']}
      done={({ name }) => `“${name}” is changed.`}
    />
  );
}

function RevokeButton({ revoked: { id, name, last_used_at: usedAt } }: { revoked: ApiKey }) {
  const now = useNowMs();
  return (
    <AskButton
      button={{ small: true, label: 'Revoke', 'aria-label': `Revoke ${name}` }}
      title={`Revoke “${name}”?`}
      action="Revoke key"
      danger
      run={() => call('POST /keys/{id}/revoke', { params: { id } })}
      topics={['keys']}
      done={`“${name}” is revoked.`}
    >
      <p>Systems that use this key stop working within a second. You can’t undo this.</p>
      {usedAt !== null && now - Date.parse(usedAt) < RECENTLY_MS && <p>This key was used in the last 24 hours.</p>}
    </AskButton>
  );
}

/** Shows the first use of a new key without a reload. */
const KEYS_QUERY = { ...load(['keys'], 'GET /keys'), refetchInterval: 5_000 };

const columns = (nowMs: number): readonly Column<ApiKey>[] => [
  {
    name: KEYS.name,
    main: true,
    render: (key) => (
      <span className="row-text">
        <span>{key.name}</span>
        {key.revoked_at === null && <LimitsSummary of={key} />}
      </span>
    ),
  },
  { name: 'Ends with', render: ({ ending }) => <code>…{ending}</code> },
  { name: 'Created', render: ({ created_at }) => <Time at={created_at} style="date" /> },
  {
    name: 'Last used',
    render: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
  },
  {
    name: 'Actions',
    tools: true,
    render: (key) =>
      key.revoked_at === null ? (
        <span className="line gap-8">
          {isExpired(key, nowMs) && <Badge tone="warn">Expired</Badge>}
          <ChangeButton changed={key} />
          <RevokeButton revoked={key} />
        </span>
      ) : (
        <Badge>Revoked</Badge>
      ),
  },
];

export function KeysPage() {
  const nowMs = useNowMs();
  const [isCreating, setCreating] = useNewDialog();
  return (
    <>
      <PageHeader
        title="Keys"
        lead="An API key lets one of your systems request intros for your organization. Give each system its own key, so that you can revoke one without affecting the others."
        actions={<Button icon="plus" onClick={() => setCreating(true)} label={KEYS.create} />}
      />
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
      <Loaded query={KEYS_QUERY}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState title="No keys yet" icon="key">
              Create one for the system that sends events to Foreword, such as your CRM.
            </EmptyState>
          ) : (
            <Table
              caption="Your organization’s keys"
              columns={columns(nowMs)}
              rows={[...keys].sort((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null))}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
    </>
  );
}
