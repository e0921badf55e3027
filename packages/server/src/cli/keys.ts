import { Name } from '@foreword/contract';
import { Type } from 'typebox';
import { createKey, listKeys, revokeKey } from '../access/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { ApiKeyRow } from '../tables.ts';
import { databaseCommand, Organization } from './command.ts';
import { Failure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, showList, showObject } from './print.ts';

const DEFAULT_NAME = 'API key';

const present = (row: ApiKeyRow) => ({
  id: row.id,
  object: 'api_key',
  organization: row.organization_id,
  name: row.name,
  ending: row.ending,
  created_at: row.created_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
});

export const keyCommands = [
  databaseCommand({
    path: ['key', 'create'],
    summary: 'Creates an API key for an organization. The key is shown only once.',
    input: Type.Object({
      org: Organization,
      name: Type.Optional(
        Name(`Name of the key, such as the system that uses it. Default: ${DEFAULT_NAME}.`, 'Acme CRM'),
      ),
    }),
    example: 'foreword key create --name "Acme CRM"',
    async run(tx, { org, name = DEFAULT_NAME }) {
      const { id } = await requireOrganization(tx, org);
      return createKey(tx, systemClock, testTenant(id), name);
    },
    show: ({ row, key }) =>
      showObject({ ...present(row), key }, 'The key is shown only this once. Store it like a password.'),
  }),
  databaseCommand({
    path: ['key', 'revoke'],
    operand: 'ID',
    summary: 'Revokes an API key within a second. This cannot be undone.',
    input: Type.Object({ ID: Type.String({ description: 'ID of the key (see foreword key list).' }) }),
    example: 'foreword key revoke key_01kahzv8e1f0rtx5m2q6n9d3bw',
    async run(tx, { ID: id }) {
      const row = await revokeKey(tx, systemClock, id);
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
      showList(rows.map(present), ({ id, name, ending, created_at, revoked_at }) => ({
        id,
        name,
        ending,
        created: minuteOf(created_at),
        revoked: minuteOf(revoked_at),
      })),
  }),
];
