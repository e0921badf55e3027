import type { ApiKey, NewApiKey } from '@foreword/contract';
import { NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem } from '../../failure.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { KEYS } from '../../texts/developers.ts';
import { useUnsaved } from '../../unsaved.ts';
import { isExpired, LIMIT_FIELDS, LimitFields, LimitsSummary, limitsOf, NO_LIMITS, toLimits } from './key-limits.tsx';
import { rememberNewKey, SecretDialog } from './secret-dialog.tsx';

const RECENTLY_MS = 86_400_000;

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
  const form = useId();
  const attempts = useRetryKeys<{ name: string } & ReturnType<typeof toLimits>>();
  useUnsaved(open && (name !== '' || limits !== NO_LIMITS));
  const create = useAction({
    run: () => call('POST /keys', { body: attempts({ name: name.trim(), ...toLimits(limits) }) }),
    topics: ['keys'],
    showsFailure: true,
    onDone(key) {
      attempts.done();
      rememberNewKey(key.secret);
      setCreated(key);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!create.isPending) create.mutate();
  };
  const close = () => {
    onClose();
    setCreated(null);
    setName('');
    setLimits(NO_LIMITS);
    create.reset();
  };
  if (created !== null) return <NewKey secret={created.secret} onDone={close} />;
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
          <Input value={name} onChange={setName} maxLength={NAME_MAX_LENGTH} />
        </Field>
        <LimitFields draft={limits} onChange={setLimits} error={create.error} />
        <FormProblem error={create.error} fields={['name', ...LIMIT_FIELDS]} />
      </form>
    </Dialog>
  );
}

function ChangeKey({ changed, onClose }: { changed: ApiKey; onClose: () => void }) {
  const [limits, setLimits] = useState(() => limitsOf(changed));
  const form = useId();
  const change = useAction({
    run: () => call('POST /keys/:id', { params: { id: changed.id }, body: toLimits(limits) }),
    topics: ['keys'],
    showsFailure: true,
    done: ({ name }) => KEYS.changeDone(name),
    onDone: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={(next) => next || onClose()}
      title={KEYS.changeTitle(changed.name)}
      lead={KEYS.changeLead}
      actions={
        <Button type="submit" form={form} busy={change.isPending}>
          {KEYS.changeAction}
        </Button>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <LimitFields draft={limits} onChange={setLimits} error={change.error} />
        <FormProblem error={change.error} fields={LIMIT_FIELDS} />
      </form>
    </Dialog>
  );
}

function RevokeKey({ revoked, nowMs, onClose }: { revoked: ApiKey | null; nowMs: number; onClose: () => void }) {
  const revoke = useAction({
    run: ({ id }: ApiKey) => call('POST /keys/:id/revoke', { params: { id } }),
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
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoked !== null && revoke.mutate(revoked)}
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
        <span className="key-tools">
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
    queryKey: ['keys'],
    queryFn: ({ signal }) => call('GET /keys', {}, signal),
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
