import { KEY_SCOPES, type KeyScope, Name } from '@foreword/contract';
import { Type } from 'typebox';
import { changeKey, createKey, type KeyLimits, listKeys, revokeKey } from '../access/index.ts';
import { readConfig } from '../config.ts';
import type { Row } from '../db/tenancy.ts';
import { testTenant } from '../organizations/index.ts';
import { ApiError } from '../platform/errors.ts';
import { parseInstant } from '../platform/instants.ts';
import { choice, databaseCommand, Organization } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, showList, showObject } from './print.ts';

const DEFAULT_NAME = 'API key';

const present = (row: Row<'api_keys'>) => ({
  id: row.id,
  object: 'api_key',
  organization: row.organization_id,
  name: row.name,
  ending: row.ending,
  created_at: row.created_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
  allowed_ips: row.allowed_ips ?? [],
  scope: row.scope,
  recording_links: row.recording_links,
  agent_writes: row.agent_writes,
});

const SAMPLE_ID = 'key_01kahzv8e1f0rtx5m2q6n9d3bw';
const KeyId = Type.String({ description: 'ID of the key (see foreword key list).' });
const UNITS_MS = { h: 3_600_000, d: 86_400_000 };

const Limits = {
  scope: Type.Optional(
    choice(
      KEY_SCOPES,
      'full: every operation. events: try, report and retrieve events, read touchpoints. read: every GET. Default: full.',
    ),
  ),
  'allow-recording-links': Type.Optional(
    choice(['true', 'false'], 'Whether it may also get the recording links of members. Only with the scope full.'),
  ),
  'allow-agent-writes': Type.Optional(
    choice(['true', 'false'], 'Whether agents (foreword mcp) may change something with it. Not with the scope read.'),
  ),
  'expires-in': Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,4}[hd]$',
      'x-problem': 'must be hours or days, such as 12h or 90d',
      description: 'How long the key works, such as 90d or 12h. Default: until it is revoked.',
    }),
  ),
  'expires-at': Type.Optional(
    Type.String({
      description: 'When the key stops working, such as 2027-01-31T18:00:00Z. "" means never.',
    }),
  ),
  'allow-ip': Type.Optional(
    Type.Array(Type.String(), {
      description: 'An address or network from which the key works, such as 203.0.113.0/24. "" means any.',
    }),
  ),
};

interface LimitOptions {
  readonly scope?: KeyScope;
  readonly 'allow-recording-links'?: 'true' | 'false';
  readonly 'allow-agent-writes'?: 'true' | 'false';
  readonly 'expires-in'?: string;
  readonly 'expires-at'?: string;
  readonly 'allow-ip'?: readonly string[];
}

function refuseBothExpiries({ 'expires-in': duration, 'expires-at': time }: LimitOptions): void {
  if (duration !== undefined && time !== undefined) throw new UsageError('Use either --expires-in or --expires-at.');
}

function readExpiry({ 'expires-in': duration, 'expires-at': time }: LimitOptions): Date | null | undefined {
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
  const expiresAt = readExpiry(options);
  const { scope, 'allow-recording-links': recordingLinks, 'allow-agent-writes': agentWrites } = options;
  const networks = options['allow-ip']?.filter((network) => network !== '');
  return {
    ...(expiresAt !== undefined && { expiresAt }),
    ...(networks !== undefined && { allowedIps: networks.length === 0 ? null : networks }),
    ...(scope !== undefined && { scope }),
    ...(recordingLinks !== undefined && { recordingLinks: recordingLinks === 'true' }),
    ...(agentWrites !== undefined && { agentWrites: agentWrites === 'true' }),
  };
}

/** Names the option instead of the API's field. */
async function namingOptions<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code !== 'validation_failed') throw new Failure(error.message);
    const problem = error.message
      .replace('expires_at', '--expires-at')
      .replace('allowed_ips', '--allow-ip')
      .replace('recording_links', '--allow-recording-links')
      .replace('agent_writes', '--allow-agent-writes');
    throw new UsageError(problem);
  }
}

export const keyCommands = [
  databaseCommand({
    path: ['key', 'create'],
    summary: 'Creates an API key for an organization. The key is shown only once.',
    input: Type.Object({
      org: Organization,
      name: Type.Optional(
        Name(`Name of the key, such as the system that uses it. Default: ${DEFAULT_NAME}.`, 'Acme CRM'),
      ),
      ...Limits,
    }),
    example: 'foreword key create --name "Acme CRM" --scope events --expires-in 90d --allow-ip 203.0.113.0/24',
    check: refuseBothExpiries,
    async run(tx, { org, name = DEFAULT_NAME, ...options }) {
      const { id } = await requireOrganization(tx, org);
      const { cell } = readConfig();
      return namingOptions(createKey(tx, commandClock, testTenant(id), name, { ...readLimits(options), cell }));
    },
    show: ({ row, key }) =>
      showObject({ ...present(row), key }, 'The key is shown only this once. Store it like a password.'),
  }),
  databaseCommand({
    path: ['key', 'set'],
    operand: 'ID',
    summary: 'Changes the scope of an API key, when it expires and from where it works, within a second.',
    input: Type.Object({ ID: KeyId, ...Limits }),
    example: `foreword key set ${SAMPLE_ID} --expires-in 90d`,
    check({ ID, ...options }) {
      refuseBothExpiries(options);
      if (Object.keys(options).length === 0) {
        const names = Object.keys(Limits).map((name) => `--${name}`);
        throw new UsageError(`Nothing to change: give at least one of ${names.join(', ')}.`);
      }
    },
    async run(tx, { ID: id, ...options }) {
      const row = await namingOptions(changeKey(tx, commandClock, id, readLimits(options)));
      if (row === null) throw new Failure(`There is no unrevoked API key with the id "${id}". See foreword key list.`);
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['key', 'revoke'],
    operand: 'ID',
    summary: 'Revokes an API key within a second. This cannot be undone.',
    input: Type.Object({ ID: KeyId }),
    example: `foreword key revoke ${SAMPLE_ID}`,
    async run(tx, { ID: id }) {
      const row = await revokeKey(tx, commandClock, id);
      if (row === null) throw new Failure(`There is no API key with the id "${id}". See foreword key list.`);
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['key', 'list'],
    summary:
      'Lists the API keys of an organization, newest first, including revoked ones. The keys themselves are not stored.',
    input: Type.Object({ org: Organization }),
    example: 'foreword key list',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listKeys(tx, id);
    },
    show: (rows) =>
      showList(rows.map(present), ({ id, name, ending, scope, agent_writes, created_at, revoked_at, expires_at }) => ({
        id,
        name,
        ending,
        // A column for it would leave no room for the times.
        scope: agent_writes ? `${scope} +agents` : scope,
        created: minuteOf(created_at),
        revoked: minuteOf(revoked_at),
        expires: minuteOf(expires_at),
      })),
  }),
];
