import { Name, Responsibility } from '@foreword/contract';
import { Type } from 'typebox';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { TouchpointRow } from '../tables.ts';
import { listTouchpoints, presentTouchpoint, updateTouchpoint } from '../touchpoints/index.ts';
import { choice, databaseCommand, Organization, type Shown } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const present = (row: TouchpointRow): Shown => ({
  ...presentTouchpoint(row),
  lane: row.lane,
  delivery: row.delivery,
  position: row.position,
  days_to_record: row.days_to_record,
});

export const touchpointCommands = [
  databaseCommand({
    path: ['touchpoint', 'list'],
    says: "Lists the touchpoints of an organization, in the organization's own order.",
    input: Type.Object({ org: Organization }),
    example: 'foreword touchpoint list --org "$ORG"',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listTouchpoints(tx, testTenant(id));
    },
    show: (rows) => showList(rows.map(present)),
  }),
  databaseCommand({
    path: ['touchpoint', 'set'],
    operand: 'SLUG',
    says: 'Changes a touchpoint: turns it on or off, renames it, or says who delivers.',
    input: Type.Object({
      org: Organization,
      SLUG: Type.String({ description: 'The touchpoint, as foreword touchpoint list shows it.' }),
      active: Type.Optional(choice(['true', 'false'], 'Whether events for it are taken.')),
      name: Type.Optional(Name('What the organization calls it.', 'New appointment')),
      delivery: Type.Optional(Responsibility),
    }),
    example: 'foreword touchpoint set --org "$ORG" new_appointment --active false',
    check({ active, name, delivery }) {
      if (active === undefined && name === undefined && delivery === undefined) {
        throw new UsageError('Nothing to change: give at least one of --active, --name, --delivery.');
      }
    },
    async run(tx, { org, SLUG: slug, active, name, delivery }) {
      const { id } = await requireOrganization(tx, org);
      const change = {
        ...(active !== undefined && { active: active === 'true' }),
        ...(name !== undefined && { name }),
        ...(delivery !== undefined && { delivery }),
      };
      const row = await updateTouchpoint(tx, testTenant(id), slug, change, systemClock());
      if (row === null) {
        throw new Failure(`This organization has no touchpoint "${slug}". See foreword touchpoint list --org ${id}.`);
      }
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
];
