import type { ApiKey, NewApiKey } from '@foreword/contract';
import { KEY_SCOPES, type KeyScope, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { DAY_MS } from '@foreword/contract/plain/times';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { nowMs, readZonedTime, toZonedTime, zoneName } from '../../format.ts';
import { useUnsaved } from '../../hooks.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Confirm, FormDialog } from '../../parts/dialog.tsx';
import { Badge, PageHeader } from '../../parts/display.tsx';
import { Checkbox, Field, RadioGroup, SelectField, TextArea, TextField } from '../../parts/form.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time, useNowMs, useZone } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { rememberNewKey, SecretDialog } from './secret-dialog.tsx';
import { KEYS } from './texts.ts';

/** The initial value of the date field. */
const SUGGESTED_DAYS = 90;

const CHOICES = ['never', '30', '90', '365', 'date'] as const;
type Choice = (typeof CHOICES)[number];

/** The limits of a key as the form shows them. */
interface LimitsDraft {
  readonly scope: KeyScope;
  readonly recordingLinks: boolean;
  readonly agentWrites: boolean;
  readonly choice: Choice;
  /** Fixed when it is chosen, so that a retry sends the same time. */
  readonly expiresAt: string | null;
  /** One address or network per line. */
  readonly allowedIps: string;
}

const NO_LIMITS: LimitsDraft = {
  scope: 'full',
  recordingLinks: false,
  agentWrites: false,
  choice: 'never',
  expiresAt: null,
  allowedIps: '',
};

const limitsOf = ({
  scope,
  recording_links: recordingLinks,
  agent_writes: agentWrites,
  expires_at: expiresAt,
  allowed_ips: allowedIps,
}: ApiKey): LimitsDraft => ({
  scope,
  recordingLinks,
  agentWrites,
  choice: expiresAt === null ? 'never' : 'date',
  expiresAt,
  allowedIps: allowedIps.join('\n'),
});

const toLimits = ({ scope, recordingLinks, agentWrites, expiresAt, allowedIps }: LimitsDraft) => ({
  scope,
  recording_links: scope === 'full' && recordingLinks,
  agent_writes: scope !== 'read' && agentWrites,
  expires_at: expiresAt,
  allowed_ips: [...new Set(allowedIps.split(/[\s,]+/).filter((line) => line !== ''))],
});

/** Without its date, the key would never expire. */
const isComplete = ({ choice, expiresAt }: LimitsDraft): boolean => choice !== 'date' || expiresAt !== null;

const LIMIT_FIELDS = ['expires_at', 'allowed_ips'] as const;

interface LimitFieldsProps {
  draft: LimitsDraft;
  onChange: (draft: LimitsDraft) => void;
  error: unknown;
}

function LimitFields({ draft, onChange, error }: LimitFieldsProps) {
  const zone = useZone();
  const now = useNowMs();
  const [typed, setTyped] = useState(draft.expiresAt === null ? '' : toZonedTime(draft.expiresAt, zone));
  const type = (text: string) => {
    setTyped(text);
    onChange({ ...draft, choice: 'date', expiresAt: readZonedTime(text, zone) ?? null });
  };
  const inDays = (days: number) => new Date(nowMs() + days * DAY_MS).toISOString();
  const choose = (choice: Choice) => {
    if (choice === 'date') type(typed === '' ? toZonedTime(inDays(SUGGESTED_DAYS), zone) : typed);
    else onChange({ ...draft, choice, expiresAt: choice === 'never' ? null : inDays(Number(choice)) });
  };
  const isDateMissing = !isComplete(draft);
  return (
    <>
      <Field group label={KEYS.scope}>
        <RadioGroup
          value={draft.scope}
          options={KEY_SCOPES.map((value) => ({
            value,
            label: KEYS.scopeChoices[value].name,
            hint: KEYS.scopeChoices[value].hint,
          }))}
          onChange={(scope) => onChange({ ...draft, scope })}
        />
      </Field>
      {draft.scope === 'full' && (
        <Checkbox
          label={KEYS.recordingLinks}
          hint={KEYS.recordingLinksHint}
          checked={draft.recordingLinks}
          onChange={(recordingLinks) => onChange({ ...draft, recordingLinks })}
        />
      )}
      {draft.scope !== 'read' && (
        <Checkbox
          label={KEYS.agentWrites}
          hint={KEYS.agentWritesHint}
          checked={draft.agentWrites}
          onChange={(agentWrites) => onChange({ ...draft, agentWrites })}
        />
      )}
      <SelectField
        label={KEYS.expires}
        error={draft.choice === 'date' ? undefined : fieldProblem(error, 'expires_at')}
        value={draft.choice}
        options={CHOICES.map((value) => ({ value, label: KEYS.expiryChoices[value] }))}
        onChange={choose}
      />
      {draft.choice === 'date' && (
        <TextField
          label={KEYS.expiryDate}
          hint={KEYS.expiryDateHint(zoneName(zone, now))}
          error={isDateMissing ? KEYS.expiryDateMissing : fieldProblem(error, 'expires_at')}
          type="datetime-local"
          required
          value={typed}
          onChange={type}
        />
      )}
      <Field optional label={KEYS.allowedIps} hint={KEYS.allowedIpsHint} error={fieldProblem(error, 'allowed_ips')}>
        <TextArea
          value={draft.allowedIps}
          spellCheck={false}
          onChange={(allowedIps) => onChange({ ...draft, allowedIps })}
        />
      </Field>
    </>
  );
}

/** "Read only · Expires in 6 days", below the key's name. */
function LimitsSummary({ of: key }: { of: ApiKey }) {
  const { scope, expires_at: expiresAt, allowed_ips: allowedIps } = key;
  const now = useNowMs();
  const parts = [
    KEYS.scopeChoices[scope].name,
    key.recording_links && KEYS.withRecordingLinks,
    key.agent_writes && KEYS.withAgentWrites,
    expiresAt !== null && KEYS.expiry(expiresAt, now),
    allowedIps.length > 0 && KEYS.onlyFrom(allowedIps),
  ].filter((part) => part !== false);
  return <span className="hint">{parts.join(' · ')}</span>;
}

const isExpired = ({ expires_at: expiresAt }: ApiKey, atMs: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= atMs;

const RECENTLY_MS = DAY_MS;

const NewKey = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <SecretDialog
    title={KEYS.created}
    lead={KEYS.createdLead}
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

/** Asks for a name and limits, creates the key, and shows it once. */
function CreateKey({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const [limits, setLimits] = useState(NO_LIMITS);
  const [created, setCreated] = useState<NewApiKey | null>(null);
  const attempts = useRetryKeys<{ name: string } & ReturnType<typeof toLimits>>();
  useUnsaved(open && (name !== '' || limits !== NO_LIMITS));
  const create = useAction({
    run: () => call('POST /keys', attempts({ name: name.trim(), ...toLimits(limits) })),
    topics: ['keys'],
    showsFailure: true,
    onDone(key) {
      attempts.done();
      rememberNewKey(key.secret);
      setCreated(key);
    },
  });
  const close = () => {
    onClose();
    setCreated(null);
    setName('');
    setLimits(NO_LIMITS);
    create.reset();
  };
  if (created !== null) return <NewKey secret={created.secret} onDone={close} />;
  return (
    <FormDialog
      open={open}
      onClose={close}
      title={KEYS.create}
      lead={KEYS.createLead}
      submit={KEYS.create}
      action={create}
      fields={['name', ...LIMIT_FIELDS]}
      onSubmit={() => isComplete(limits) && create.mutate()}
    >
      <TextField
        label={KEYS.name}
        hint={KEYS.nameHint}
        error={fieldProblem(create.error, 'name')}
        value={name}
        onChange={setName}
        maxLength={NAME_MAX_LENGTH}
      />
      <LimitFields draft={limits} onChange={setLimits} error={create.error} />
    </FormDialog>
  );
}

function ChangeKey({ changed, onClose }: { changed: ApiKey; onClose: () => void }) {
  const [limits, setLimits] = useState(() => limitsOf(changed));
  const change = useAction({
    run: () => call('POST /keys/{id}', { params: { id: changed.id }, body: toLimits(limits) }),
    topics: ['keys'],
    showsFailure: true,
    done: ({ name }) => KEYS.changeDone(name),
    onDone: onClose,
  });
  return (
    <FormDialog
      onClose={onClose}
      title={KEYS.changeTitle(changed.name)}
      lead={KEYS.changeLead}
      submit={KEYS.changeAction}
      action={change}
      fields={LIMIT_FIELDS}
      onSubmit={() => isComplete(limits) && change.mutate()}
    >
      <LimitFields draft={limits} onChange={setLimits} error={change.error} />
    </FormDialog>
  );
}

function RevokeKey({ revoked, nowMs, onClose }: { revoked: ApiKey | null; nowMs: number; onClose: () => void }) {
  const revoke = useAction({
    run: ({ id }: ApiKey) => call('POST /keys/{id}/revoke', { params: { id } }),
    topics: ['keys'],
    showsFailure: true,
    done: ({ name }) => KEYS.revokeDone(name),
    onDone: onClose,
  });
  const usedAt = revoked?.last_used_at ?? null;
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
      run={{ ...revoke, mutate: () => revoked !== null && revoke.mutate(revoked) }}
    >
      <p>{KEYS.revokeLead}</p>
      {usedAt !== null && nowMs - Date.parse(usedAt) < RECENTLY_MS && <p>{KEYS.recentlyUsed}</p>}
    </Confirm>
  );
}

/** Shows the first use of a new key without a reload. */
const REFRESH_MS = 5_000;

interface KeyActions {
  readonly onChange: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

const columns = ({ onChange, onRevoke }: KeyActions, nowMs: number): readonly Column<ApiKey>[] => [
  {
    name: KEYS.columnName,
    main: true,
    render: (key) => (
      <span className="row-text">
        <span>{key.name}</span>
        {key.revoked_at === null && <LimitsSummary of={key} />}
      </span>
    ),
  },
  { name: KEYS.columnEnding, render: ({ ending }) => <code>…{ending}</code> },
  { name: KEYS.columnCreated, render: ({ created_at }) => <Time at={created_at} style="date" /> },
  {
    name: KEYS.columnUsed,
    render: ({ last_used_at }) => (last_used_at === null ? KEYS.neverUsed : <Time at={last_used_at} />),
  },
  {
    name: KEYS.columnActions,
    tools: true,
    render: (key) =>
      key.revoked_at === null ? (
        <span className="line gap-8">
          {isExpired(key, nowMs) && <Badge tone="warn">{KEYS.expired}</Badge>}
          <Button kind="quiet" small aria-label={KEYS.changeKey(key.name)} onClick={() => onChange(key)}>
            {KEYS.change}
          </Button>
          <Button kind="quiet" small aria-label={KEYS.revokeKey(key.name)} onClick={() => onRevoke(key)}>
            {KEYS.revoke}
          </Button>
        </span>
      ) : (
        <Badge>{KEYS.revoked}</Badge>
      ),
  },
];

export function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const [changed, setChanged] = useState<ApiKey | null>(null);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const nowMs = useNowMs();
  const query = useQuery({
    ...load(['keys'], 'GET /keys'),
    refetchInterval: REFRESH_MS,
  });
  const createButton = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      {KEYS.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={KEYS.title} lead={KEYS.lead} actions={createButton} />
      <Loaded query={query}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState title={KEYS.empty} icon="key">
              {KEYS.emptyLead}
            </EmptyState>
          ) : (
            <Table
              caption={KEYS.list}
              columns={columns({ onChange: setChanged, onRevoke: setRevoked }, nowMs)}
              rows={keys.toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null))}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
      <CreateKey open={isCreating} onClose={() => setCreating(false)} />
      {changed !== null && <ChangeKey key={changed.id} changed={changed} onClose={() => setChanged(null)} />}
      <RevokeKey revoked={revoked} nowMs={nowMs} onClose={() => setRevoked(null)} />
    </>
  );
}
