import { DAY_MS, HOUR_MS, KEY_SCOPES, Name, type Static, Type } from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import type { Row } from '../db/tenancy.ts';
import { changeKey, createKey, type KeyLimits, listKeys, revokeKey } from '../http/access/index.ts';
import { parseInstant } from '../platform/instants.ts';
import { pick } from '../platform/json.ts';
import { choice, Option, pickGiven, TrueOrFalse } from './command.ts';
import { commandClock } from './connection.ts';
import { organizationCommand } from './database-command.ts';
import { minuteOf, showFields, showList } from './print.ts';
import { Failure, UsageError } from './terminal.ts';

const DEFAULT_NAME = 'API key';

const present = (row: Row<'api_keys'>) => ({
  id: row.id,
  object: 'api_key',
  organization: row.organization_id,
  ...pick(row, 'name', 'ending', 'created_at', 'revoked_at', 'expires_at'),
  allowed_ips: row.allowed_ips ?? [],
  ...pick(row, 'scope', 'recording_links', 'agent_writes'),
});

const UNITS_MS = { h: HOUR_MS, d: DAY_MS };

const flags = {
  recording_links: 'allow-recording-links',
  agent_writes: 'allow-agent-writes',
  allowed_ips: 'allow-ip',
};
const Limits = {
  scope: Type.Optional(
    choice(
      KEY_SCOPES,
      'full: every operation. events: try, report and retrieve events, read touchpoints. read: every GET. Default: full.',
    ),
  ),
  recording_links: TrueOrFalse('Whether it may also get the recording links of members. Only with the scope full.'),
  agent_writes: TrueOrFalse('Whether agents (foreword mcp) may change something with it. Not with the scope read.'),
  expires_in: Option('How long the key works, such as 90d or 12h. Default: until it is revoked.', {
    pattern: '^[1-9][0-9]{0,4}[hd]$',
    'x-problem': 'must be hours or days, such as 12h or 90d',
  }),
  expires_at: Option('When the key stops working, such as 2027-01-31T18:00:00Z. "" means never.'),
  allowed_ips: Type.Optional(
    Type.Array(Type.String(), {
      description: 'An address or network from which the key works, such as 203.0.113.0/24. "" means any.',
    }),
  ),
};
type LimitOptions = Static<ReturnType<typeof Type.Object<typeof Limits>>>;

function check({ expires_in: duration, expires_at: time }: LimitOptions): void {
  if (duration !== undefined && time !== undefined) throw new UsageError('Use either --expires-in or --expires-at.');
}

function readExpiry({ expires_in: duration, expires_at: time }: LimitOptions): Date | null | undefined {
  if (duration !== undefined) {
    const unit = UNITS_MS[duration.at(-1) as keyof typeof UNITS_MS];
    return new Date(commandClock().getTime() + Number(duration.slice(0, -1)) * unit);
  }
  if (time === undefined) return undefined;
  if (time === '') return null;
  const at = parseInstant(time);
  if (at === null) throw new UsageError('--expires-at must be a time with an offset, such as 2027-01-31T18:00:00Z.');
  return at;
}

/** The limits that the options name. */
function readLimits(options: LimitOptions): Partial<KeyLimits> {
  const { expires_in: _, allowed_ips: given, ...access } = options;
  const networks = given?.filter((network) => network !== '');
  const allowed_ips = networks?.length === 0 ? null : networks;
  return pickGiven({ ...access, expires_at: readExpiry(options), allowed_ips });
}

export const keyCommands = [
  organizationCommand({
    name: 'key create',
    summary: 'Creates an API key for an organization. The key is shown only once.',
    flags,
    input: {
      name: Type.Optional(
        Name(`Name of the key, such as the system that uses it. Default: ${DEFAULT_NAME}.`, 'Acme CRM'),
      ),
      ...Limits,
    },
    example: '--name "Acme CRM" --scope events --expires-in 90d --allow-ip 203.0.113.0/24',
    check,
    run({ tx, tenant }, { name = DEFAULT_NAME, ...options }) {
      const { cell } = readConfig();
      return createKey(tx, commandClock, tenant, name, { ...readLimits(options), cell });
    },
    show({ row, key }) {
      const shown = { ...present(row), key };
      return showFields(shown, shown, 'The key is shown only this once. Store it like a password.');
    },
  }),
  organizationCommand({
    name: 'key set',
    of: 'key',
    needsOption: true,
    summary: 'Changes the scope of an API key, when it expires and from where it works, within a second.',
    flags,
    input: Limits,
    example: '--expires-in 90d',
    check,
    async run({ tx, tenant, id }, options) {
      const row = await changeKey(tx, commandClock, tenant, id, readLimits(options));
      if (row === null) throw new Failure(`There is no unrevoked API key with the id "${id}". See foreword key list.`);
      return present(row);
    },
  }),
  organizationCommand({
    name: 'key revoke',
    of: 'key',
    summary: 'Revokes an API key within a second. This cannot be undone.',
    input: {},
    async run({ tx, tenant, id }) {
      const row = await revokeKey(tx, commandClock, tenant, id);
      if (row === null) throw new Failure('This key was just deleted.');
      return present(row);
    },
  }),
  organizationCommand({
    name: 'key list',
    summary:
      'Lists the API keys of an organization, newest first, including revoked ones. The keys themselves are not stored.',
    input: {},
    run: ({ tx, organization }) => listKeys(tx, organization.id),
    show: (rows) =>
      showList({ data: rows.map(present) }, [
        'id',
        'name',
        'ending',
        // A column for it would leave no room for the times.
        ['scope', ({ scope, agent_writes }) => (agent_writes ? `${scope} +agents` : scope)],
        ['created', ({ created_at }) => minuteOf(created_at)],
        ['revoked', ({ revoked_at }) => minuteOf(revoked_at)],
        ['expires', ({ expires_at }) => minuteOf(expires_at)],
      ]),
  }),
];
