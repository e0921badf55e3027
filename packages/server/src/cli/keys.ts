import { Name } from '@foreword/contract';
import { Type } from 'typebox';
import { createKey, listKeys, revokeKey } from '../access/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { ApiKeyRow } from '../tables.ts';
import { databaseCommand, Organization, type Shown } from './command.ts';
import { Failure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const DEFAULT_NAME = 'API key';

const present = (row: ApiKeyRow): Shown => ({
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
    says: 'Creates an API key for an organization and shows it this once.',
    input: Type.Object({
      org: Organization,
      name: Type.Optional(Name(`What it is for, so that you know it again. Default: ${DEFAULT_NAME}.`, 'Acme CRM')),
    }),
    example: 'foreword key create --org "$ORG" --name "Acme CRM"',
    async run(tx, { org, name = DEFAULT_NAME }) {
      const { id } = await requireOrganization(tx, org);
      return createKey(tx, systemClock, testTenant(id), name);
    },
    show: ({ row, key }) =>
      showObject(
        { ...present(row), key },
        'The key is shown only this once: keep it where you keep passwords. It works from now on.',
      ),
  }),
  databaseCommand({
    path: ['key', 'revoke'],
    operand: 'ID',
    says: 'Revokes an API key: within a second no request with it is answered. This cannot be undone.',
    input: Type.Object({ ID: Type.String({ description: 'Id of the key, as foreword key list shows it.' }) }),
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
    says: 'Lists the API keys of an organization, newest first, revoked ones included. Keys themselves are not kept.',
    input: Type.Object({ org: Organization }),
    example: 'foreword key list --org "$ORG"',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listKeys(tx, id);
    },
    show: (rows) => showList(rows.map(present)),
  }),
];
