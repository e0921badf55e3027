import { Lane, Name } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { createOrganization, findOrganization, listOrganizations } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { OrganizationRow, Tables } from '../tables.ts';
import { choice, databaseCommand, type Shown } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { showList, showObject } from './print.ts';

const INDUSTRIES = ['exterior_remodeling', 'real_estate'] as const;
/** Where most of our organizations work. Not the machine's own zone, which on a server is usually UTC and meant by nobody. */
const DEFAULT_TIMEZONE = 'America/New_York';

const present = (row: OrganizationRow): Shown => ({
  id: row.id,
  object: 'organization',
  name: row.name,
  industry: row.industry,
  lanes: row.lanes,
  timezone: row.timezone,
  created_at: row.created_at.toISOString(),
});

export function refuseLanes(industry: OrganizationRow['industry'], lanes: readonly string[]): void {
  if (industry === 'real_estate' && lanes.length > 0) {
    throw new UsageError('--lane is for the industry exterior_remodeling: real_estate has no lanes. Leave it out.');
  }
}

/** The organization that --org names. */
export async function requireOrganization(tx: Transaction<Tables>, id: string): Promise<OrganizationRow> {
  const row = await findOrganization(tx, id);
  if (row === null) throw new Failure(`There is no organization with the id "${id}". See foreword org list.`);
  return row;
}

export const organizationCommands = [
  databaseCommand({
    path: ['org', 'create'],
    says: 'Creates an organization with the starting touchpoints of its industry.',
    input: Type.Object({
      name: Name('What it is called.', 'Acme Roofing'),
      industry: choice(INDUSTRIES, 'Decides its starting touchpoints.'),
      lane: Type.Optional(
        Type.Array(Lane, { description: 'A lane it works in; exterior_remodeling only. Default: both.' }),
      ),
      timezone: Type.Optional(
        Type.String({
          format: 'iana-timezone',
          'x-problem': 'must be a time zone that IANA lists, such as America/Chicago',
          description: `Its time zone, by IANA name. Default: ${DEFAULT_TIMEZONE}.`,
        }),
      ),
    }),
    example: 'foreword org create --name "Acme Roofing" --industry exterior_remodeling --timezone America/Chicago',
    check: ({ industry, lane: lanes = [] }) => refuseLanes(industry, lanes),
    run: (tx, { name, industry, lane: lanes = [], timezone = DEFAULT_TIMEZONE }) =>
      createOrganization(tx, systemClock, { name, industry, lanes, timezone }),
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['org', 'list'],
    says: 'Lists the organizations, newest first.',
    input: Type.Object({}),
    example: 'foreword org list',
    run: listOrganizations,
    show: (rows) => showList(rows.map(present)),
  }),
];
