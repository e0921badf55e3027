import { ACTION_LABEL_MAX, DEFAULT_LANGUAGE, measureText, Name, Responsibility } from '@foreword/contract';
import { Type } from 'typebox';
import type { Row } from '../db/tenancy.ts';
import { writeRecipientText } from '../delivery/index.ts';
import { testTenant } from '../organizations/index.ts';
import { ApiError } from '../platform/errors.ts';
import {
  changeTouchpoint,
  findProblem,
  listTouchpoints,
  presentTouchpoint,
  sampleValues,
} from '../touchpoints/index.ts';
import { readLinkConfig } from './address.ts';
import { choice, databaseCommand, Organization } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, UsageError } from './failure.ts';
import { ActionUrl, emptyAsNull, Text } from './fields.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const present = (row: Row<'touchpoints'>) => ({
  ...presentTouchpoint(row),
  lane: row.lane,
  delivery: row.delivery,
  position: row.position,
  minutes_to_record: row.minutes_to_record,
  text_message: row.text_message,
  reminders: row.reminds,
  action_label: row.action_label,
  action_label_es: row.action_label_es,
  action_url: row.action_url,
});

/** Has the length of the tokens in page links. */
const SAMPLE_TOKEN = 'x'.repeat(12);

/** Segments of the first text to a recipient with a typical name, including the link. Carriers charge per segment. */
function segmentsOf(template: string | null, organization: Row<'organizations'>, publicUrl: string): number {
  const { body } = writeRecipientText({
    template,
    language: DEFAULT_LANGUAGE,
    values: sampleValues(organization),
    link: `${publicUrl}/i/${SAMPLE_TOKEN}`,
    isFirst: true,
  });
  return measureText(body).segments;
}

function checkTextMessage(text: string): void {
  const problem = findProblem('text_message', text);
  if (problem === null) return;
  const { line, message } = problem;
  throw new UsageError(`--text-message: ${line === null ? '' : `line ${line}: `}${message}.`);
}

export const touchpointCommands = [
  databaseCommand({
    path: ['touchpoint', 'list'],
    summary: 'Lists the touchpoints of an organization in display order.',
    input: Type.Object({ org: Organization }),
    example: 'foreword touchpoint list',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listTouchpoints(tx, testTenant(id));
    },
    show: (rows) =>
      showList(rows.map(present), ({ slug, name, active, delivery, context, lane }) => ({
        slug,
        name,
        active,
        delivery,
        context,
        lane,
      })),
  }),
  databaseCommand({
    path: ['touchpoint', 'set'],
    operand: 'SLUG',
    summary: 'Changes a touchpoint: whether it is active, its name, delivery, text message, button and reminders.',
    input: Type.Object({
      org: Organization,
      SLUG: Type.String({ description: 'Slug of the touchpoint (see foreword touchpoint list).' }),
      active: Type.Optional(choice(['true', 'false'], 'Whether events for this touchpoint are accepted.')),
      name: Type.Optional(Name('Name of the touchpoint.', 'New appointment')),
      delivery: Type.Optional(Responsibility),
      'text-message': Type.Optional(
        Type.String({
          description: 'Liquid template for the text to the recipient; the link is appended. "" restores the default.',
        }),
      ),
      'action-label': Type.Optional(Text(ACTION_LABEL_MAX, 'Label of the button on the page.')),
      'action-label-es': Type.Optional(Text(ACTION_LABEL_MAX, 'Label of the button on pages in Spanish.')),
      'action-url': Type.Optional(ActionUrl),
      reminders: Type.Optional(choice(['true', 'false'], 'Whether to remind members who have not recorded yet.')),
    }),
    example: 'foreword touchpoint set new_appointment --active false',
    check({ org, SLUG, ...changes }) {
      if (Object.keys(changes).length === 0) {
        throw new UsageError(
          'Nothing to change: give at least one of --active, --name, --delivery, --text-message, --action-label, --reminders.',
        );
      }
      const { 'text-message': text, 'action-label': label = null, 'action-url': url = null } = changes;
      if (text !== undefined && text !== '') checkTextMessage(text);
      if ((label === null) !== (url === null) || (label === '') !== (url === '')) {
        throw new UsageError('Give --action-label and --action-url together: a button needs both.');
      }
    },
    async run(tx, { org, SLUG: slug, active, name, delivery, reminders, ...texts }) {
      const { 'text-message': text, 'action-label': label, 'action-label-es': spanishLabel, 'action-url': url } = texts;
      const organization = await requireOrganization(tx, org);
      const change = {
        ...(active !== undefined && { active: active === 'true' }),
        ...(name !== undefined && { name }),
        ...(delivery !== undefined && { delivery }),
        ...(text !== undefined && { text_message: emptyAsNull(text) }),
        ...(label !== undefined && { action_label: emptyAsNull(label) }),
        ...(spanishLabel !== undefined && { action_label_es: emptyAsNull(spanishLabel) }),
        ...(url !== undefined && { action_url: emptyAsNull(url) }),
        ...(reminders !== undefined && { reminds: reminders === 'true' }),
      };
      const within = { organization, tenant: testTenant(organization.id), by: null, now: commandClock() };
      const row = await changeTouchpoint(tx, within, { slug, change }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        throw new Failure(`${error.message} See foreword touchpoint list --org ${organization.id}.`);
      });
      if (text === undefined) return { row, segments: null };
      const { publicUrl } = await readLinkConfig();
      return { row, segments: segmentsOf(row.text_message, organization, publicUrl) };
    },
    show: ({ row, segments }) =>
      showObject({ ...present(row), ...(segments !== null && { text_message_segments: segments }) }),
  }),
];
