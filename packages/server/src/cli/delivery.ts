import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { readConfig } from '../config.ts';
import type { Tables } from '../db/tenancy.ts';
import {
  bodyOf,
  listMessages,
  listOwnerEmails,
  readSettings,
  readTextLimits,
  resumeTexts,
  saveSettings,
} from '../delivery/index.ts';
import { findIntro } from '../intros/index.ts';
import type { Links } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import { COUNTRIES } from '../platform/countries.ts';
import { choice, databaseCommand, Organization, type Shown } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showBlocks, showObject } from './print.ts';
import { openLinks } from './server-key.ts';
import { checkTwilioOptions, sealTwilioAccount, TwilioOptions } from './twilio-account.ts';

const HOUR = '^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$';
const Hour = (description: string) =>
  Type.String({ pattern: HOUR, 'x-problem': 'must be a time of day, such as 08:00', description });

const toMinutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const toHour = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const Amount = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^(default|[0-9]{1,7})$',
      'x-problem': 'must be a whole number or default',
      description: `${description} "default" removes the limit of the operator.`,
    }),
  );

const readAmount = <Name extends string>(name: Name, given: string | undefined) =>
  (given === undefined ? {} : { [name]: given === 'default' ? null : Number(given) }) as {
    readonly [Key in Name]?: number | null;
  };

/** Null: the default. */
function readCountries(given: string | undefined): string[] | null {
  if (given === undefined || given === 'default') return null;
  const chosen = [...new Set(given.split(','))];
  const unknown = chosen.find((country) => !COUNTRIES.includes(country));
  if (unknown !== undefined) {
    throw new UsageError(`--countries: ${unknown} is not a country code (ISO 3166), such as US, CA or GB.`);
  }
  return chosen.sort();
}

async function showSettings(tx: Transaction<Tables>, id: string): Promise<Shown> {
  const tenant = testTenant(id);
  const settings = await readSettings(tx, tenant);
  const texts = await readTextLimits(tx, tenant, commandClock());
  return {
    id,
    object: 'delivery_settings',
    texts_from: toHour(settings.texts_from),
    texts_until: toHour(settings.texts_until),
    own_twilio_account: settings.twilio_account !== null,
    countries: texts.countries,
    text_test_recordings: texts.textsTestRecordings,
    forward_replies: texts.forwardsReplies,
    daily_texts: texts.limits.organization,
    daily_texts_per_member: texts.limits.member,
    daily_texts_per_recipient: texts.limits.recipient,
    texts_today: texts.textsToday,
    texts_paused_for: texts.paused?.reason ?? null,
    texts_paused_at: texts.paused?.at.toISOString() ?? null,
  };
}

type Message = Awaited<ReturnType<typeof listMessages>>[number];
type OwnerEmail = Awaited<ReturnType<typeof listOwnerEmails>>[number];

const showMessage = (links: Links, row: Message) => ({
  id: row.id,
  object: 'message',
  intro: row.intro_id as string | null,
  to: row.audience as string,
  purpose: row.purpose as string,
  channel: row.channel,
  status: row.status as string,
  address: row.address,
  subject: row.subject,
  body: bodyOf(links, row),
  segments: row.segments,
  attempts: row.attempts,
  error: row.error_code as string | null,
  /** The error as a sentence: "Not sent: no text provider is connected." */
  reason: row.error_message,
  due_at: row.due_at.toISOString(),
  created_at: row.created_at.toISOString(),
  accepted_at: row.accepted_at?.toISOString() ?? null,
});

const showOwnerEmail = (row: OwnerEmail): ReturnType<typeof showMessage> => ({
  id: row.id,
  object: 'message',
  intro: null,
  to: 'owner',
  purpose: row.purpose,
  channel: 'email',
  status: row.status,
  address: row.address,
  subject: row.subject,
  body: row.body,
  segments: null,
  attempts: row.attempts,
  error: row.error_message,
  reason: row.error_message,
  due_at: row.created_at.toISOString(),
  created_at: row.created_at.toISOString(),
  accepted_at: row.status === 'accepted' ? (row.settled_at?.toISOString() ?? null) : null,
});

export const deliveryCommands = [
  databaseCommand({
    path: ['delivery', 'set'],
    summary:
      'Changes the hours for texts to recipients, the limits on texts, or the Twilio account of an organization.',
    input: Type.Object({
      org: Organization,
      'texts-from': Type.Optional(Hour('Earliest local time for texts to recipients. Default: 08:00.')),
      'texts-until': Type.Optional(
        Hour(
          'Latest local time for texts to recipients; later texts wait until morning. Default: 21:00. From 00:00 until 24:00 texts at any hour, even where the law of a US state forbids it.',
        ),
      ),
      ...TwilioOptions,
      countries: Type.Optional(
        Type.String({
          pattern: '^(default|[A-Z]{2}(,[A-Z]{2})*)$',
          'x-problem': 'must be country codes with commas between them, such as US,CA, or default',
          description: 'Countries whose numbers are texted, such as US,CA. "default": that of the time zone.',
        }),
      ),
      'text-test-recordings': Type.Optional(
        choice(
          ['true', 'false'],
          'Whether recordings of the test helper are texted to real numbers. With true, a leaked API key can text anyone in the countries. Default: false.',
        ),
      ),
      'forward-replies': Type.Optional(
        choice(
          ['true', 'false'],
          "Whether members answer replies of recipients through the service's number. With true, their messages hide the recipient's number. Default: false.",
        ),
      ),
      'daily-texts': Amount('Texts of the organization per day.'),
      'daily-texts-per-member': Amount('Texts about the intros of one member per day.'),
      'daily-texts-per-recipient': Amount('Texts to one recipient per day.'),
    }),
    example: 'foreword delivery set --texts-from 09:00 --texts-until 20:00',
    check(input) {
      if ((input['texts-from'] === undefined) !== (input['texts-until'] === undefined)) {
        throw new UsageError('Give --texts-from and --texts-until together.');
      }
      const { 'texts-from': from, 'texts-until': until } = input;
      if (from !== undefined && until !== undefined && toMinutes(from) >= toMinutes(until)) {
        throw new UsageError('--texts-from must be earlier than --texts-until.');
      }
      checkTwilioOptions(input);
      readCountries(input.countries);
      if (Object.keys(input).every((name) => name === 'org')) {
        throw new UsageError('Nothing to change: give at least one option besides --org.');
      }
    },
    async run(tx, input): Promise<Shown> {
      const { id } = await requireOrganization(tx, input.org);
      const { 'texts-from': from, 'texts-until': until, 'twilio-account-sid': accountSid } = input;
      const account = await sealTwilioAccount(tx, id, input);
      const change = {
        ...(from !== undefined &&
          until !== undefined && { texts_from: toMinutes(from), texts_until: toMinutes(until) }),
        ...(accountSid !== undefined && { twilio_account: account }),
        ...(input.countries !== undefined && { countries: readCountries(input.countries) }),
        ...(input['text-test-recordings'] !== undefined && {
          texts_test_recordings: input['text-test-recordings'] === 'true',
        }),
        ...(input['forward-replies'] !== undefined && { forwards_replies: input['forward-replies'] === 'true' }),
        ...readAmount('daily_texts', input['daily-texts']),
        ...readAmount('daily_texts_per_member', input['daily-texts-per-member']),
        ...readAmount('daily_texts_per_recipient', input['daily-texts-per-recipient']),
      };
      await saveSettings(tx, testTenant(id), change, commandClock());
      return showSettings(tx, id);
    },
    show: (settings) => showObject(settings),
  }),
  databaseCommand({
    path: ['delivery', 'show'],
    summary: 'Shows the hours for texts to recipients, and the limits on texts with their use today.',
    input: Type.Object({ org: Organization }),
    example: 'foreword delivery show',
    run: async (tx, { org }): Promise<Shown> => showSettings(tx, (await requireOrganization(tx, org)).id),
    show: (settings) => showObject(settings),
  }),
  databaseCommand({
    path: ['delivery', 'resume'],
    summary: 'Resumes texts that were paused because of unusual activity. Otherwise, nothing changes.',
    input: Type.Object({ org: Organization }),
    example: 'foreword delivery resume',
    async run(tx, { org }): Promise<Shown> {
      const { id } = await requireOrganization(tx, org);
      await resumeTexts(tx, testTenant(id), commandClock());
      return showSettings(tx, id);
    },
    show: (settings) => showObject(settings),
  }),
  databaseCommand({
    path: ['message', 'list'],
    summary: 'Lists the latest messages to members, recipients and owners, newest first, with their full text.',
    input: Type.Object({
      org: Organization,
      intro: Type.Optional(Type.String({ description: 'Only messages for this intro.' })),
    }),
    example: 'foreword message list',
    async run(tx, { org, intro }) {
      const { id } = await requireOrganization(tx, org);
      if (intro !== undefined && (await findIntro(tx, testTenant(id), intro)) === null) {
        throw new Failure(
          `This organization has no intro with the id "${intro}". GET /v1/intros and the console list them.`,
        );
      }
      const links = await openLinks(tx, readConfig());
      const messages = (await listMessages(tx, testTenant(id), intro)).map((row) => showMessage(links, row));
      const ownerEmails = intro === undefined ? (await listOwnerEmails(tx, testTenant(id))).map(showOwnerEmail) : [];
      return [...messages, ...ownerEmails].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    },
    show: (messages) => showBlocks(messages),
  }),
];
