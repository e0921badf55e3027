import { Name, Responsibility } from '@foreword/contract';
import { Type } from 'typebox';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { TouchpointRow } from '../tables.ts';
import {
  checkTemplate,
  listTouchpoints,
  presentTouchpoint,
  TemplateProblem,
  updateTouchpoint,
} from '../touchpoints/index.ts';
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
  text_message: row.text_message,
  reminders: row.reminds,
});

function checkTextMessage(text: string): void {
  try {
    checkTemplate(text);
  } catch (problem) {
    if (problem instanceof TemplateProblem) throw new UsageError(`--text-message: ${problem.message}.`);
    throw problem;
  }
}

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
      'text-message': Type.Optional(
        Type.String({
          description: 'Words of the text to the recipient, with Liquid; the link follows. "": the usual ones.',
        }),
      ),
      reminders: Type.Optional(choice(['true', 'false'], 'Whether a member who has not recorded yet is reminded.')),
    }),
    example: 'foreword touchpoint set --org "$ORG" new_appointment --active false',
    check({ active, name, delivery, reminders, 'text-message': text }) {
      if (text !== undefined && text !== '') checkTextMessage(text);
      if ([active, name, delivery, reminders, text].every((value) => value === undefined)) {
        throw new UsageError(
          'Nothing to change: give at least one of --active, --name, --delivery, --text-message, --reminders.',
        );
      }
    },
    async run(tx, { org, SLUG: slug, active, name, delivery, reminders, 'text-message': text }) {
      const { id } = await requireOrganization(tx, org);
      const change = {
        ...(active !== undefined && { active: active === 'true' }),
        ...(name !== undefined && { name }),
        ...(delivery !== undefined && { delivery }),
        ...(text !== undefined && { text_message: text === '' ? null : text }),
        ...(reminders !== undefined && { reminds: reminders === 'true' }),
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
