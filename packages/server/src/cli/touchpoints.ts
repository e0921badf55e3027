import {
  ACTION_LABEL_MAX,
  ACTION_URL_PATTERN,
  ACTION_URL_PROBLEM,
  Name,
  Responsibility,
  Type,
} from '@foreword/contract';
import type { Row } from '../db/tenancy.ts';
import { pick } from '../platform/json.ts';
import { changeTouchpoint, findProblem, listTouchpoints, presentTouchpoint } from '../touchpoints/index.ts';
import { pickGiven, Removable, Text, TrueOrFalse } from './command.ts';
import { organizationCommand } from './database-command.ts';
import { showList } from './print.ts';
import { orFailure, UsageError } from './terminal.ts';

const present = (row: Row<'touchpoints'>) => ({
  ...presentTouchpoint(row),
  ...pick(row, 'lane', 'delivery', 'position', 'minutes_to_record', 'text_message'),
  reminders: row.reminds,
  ...pick(row, 'invites_to_save', 'action_label', 'action_label_es', 'action_url'),
});

function checkTextMessage(text: string): void {
  const problem = findProblem('text_message', text);
  if (problem === null) return;
  const { line, message } = problem;
  throw new UsageError(`--text-message: ${line === null ? '' : `line ${line}: `}${message}.`);
}

export const touchpointCommands = [
  organizationCommand({
    name: 'touchpoint list',
    summary: 'Lists the touchpoints of an organization in display order.',
    input: {},
    run: ({ tx, tenant }) => listTouchpoints(tx, tenant),
    show: (rows) => showList({ data: rows.map(present) }, ['slug', 'name', 'active', 'delivery', 'context', 'lane']),
  }),
  organizationCommand({
    name: 'touchpoint set',
    operands: ['SLUG'],
    needsOption: true,
    summary: 'Changes a touchpoint: whether it is active, its name, delivery, texts, button and reminders.',
    flags: { reminds: 'reminders' },
    input: {
      slug: Type.String({ description: 'Slug of the touchpoint (see foreword touchpoint list).' }),
      active: TrueOrFalse('Whether events for this touchpoint are accepted.'),
      name: Type.Optional(Name('Name of the touchpoint.', 'New appointment')),
      delivery: Type.Optional(Responsibility),
      text_message: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'Liquid template for the text to the recipient; the link is appended. "" restores the default.',
        }),
      ),
      action_label: Text(ACTION_LABEL_MAX, 'Label of the button on the page.'),
      action_label_es: Text(ACTION_LABEL_MAX, 'Label of the button on pages in Spanish.'),
      action_url: Removable(
        Type.String({ pattern: `^${ACTION_URL_PATTERN}$`, 'x-problem': ACTION_URL_PROBLEM }),
        'Link of the button.',
      ),
      reminds: TrueOrFalse('Whether to remind members who have not recorded yet.'),
      invites_to_save: TrueOrFalse('Whether the first text invites the recipient to save the number.'),
    },
    example: 'new_appointment --active false',
    check({ text_message: text, action_label: label, action_url: url }) {
      if (typeof text === 'string') checkTextMessage(text);
      if (typeof label !== typeof url || (label === null) !== (url === null)) {
        throw new UsageError('Give --action-label and --action-url together: a button needs both.');
      }
    },
    async run({ tx, organization, tenant, now }, { slug, ...change }) {
      const within = { organization, tenant, by: null, now };
      const work = changeTouchpoint(tx, within, { slug, change: pickGiven(change) });
      return present(await orFailure(work, ` See foreword touchpoint list --org ${organization.id}.`));
    },
  }),
];
