import { iso, Phone, Type } from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import {
  bodyOf,
  listMessages,
  listOwnerEmails,
  readSettings,
  readTextLimits,
  resumeTexts,
  saveSettings,
  sealAccount,
} from '../delivery/index.ts';
import { findIntro } from '../intros/index.ts';
import type { Links } from '../intros/links/index.ts';
import { COUNTRIES } from '../platform/countries.ts';
import { pick } from '../platform/json.ts';
import { sealWith } from '../platform/seal.ts';
import { SEAL_PURPOSE } from '../webhooks/index.ts';
import { Option, pickGiven, TrueOrFalse } from './command.ts';
import { openKey, openLinks } from './connection.ts';
import { organizationCommand, type Place } from './database-command.ts';
import { showBlocks } from './print.ts';
import { Failure, UsageError } from './terminal.ts';

const matching = (pattern: string, problem: string, description: string) =>
  Type.Optional(Type.String({ pattern, 'x-problem': problem, description }));

const Hour = (description: string) =>
  matching('^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$', 'must be a time of day, such as 08:00', description);

const Amount = (description: string) =>
  matching(
    '^(default|[0-9]{1,7})$',
    'must be a whole number or default',
    `${description} "default" removes the limit of the operator.`,
  );

const toMinutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const toHour = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Null: the default. */
function orDefault<T>(given: string | undefined, read: (text: string) => T): T | null | undefined {
  if (given === undefined) return undefined;
  return given === 'default' ? null : read(given);
}

function readCountries(given: string): string[] {
  const chosen = [...new Set(given.split(','))];
  const unknown = chosen.find((country) => !COUNTRIES.includes(country));
  if (unknown !== undefined) {
    throw new UsageError(`--countries: ${unknown} is not a country code (ISO 3166), such as US, CA or GB.`);
  }
  return chosen.sort();
}

interface TwilioOptions {
  readonly twilio_account_sid?: string;
  readonly twilio_auth_token?: string;
  readonly twilio_from?: string;
  readonly twilio_messaging_service_sid?: string;
}

function checkTwilioOptions(options: TwilioOptions): void {
  const { twilio_account_sid: accountSid, twilio_auth_token: token } = options;
  const isOwn = accountSid !== undefined && accountSid !== 'none';
  const senders = [options.twilio_from, options.twilio_messaging_service_sid].filter((one) => one !== undefined);
  if (isOwn && (token === undefined || senders.length !== 1)) {
    throw new UsageError(
      '--twilio-account-sid also needs --twilio-auth-token, and either --twilio-from or --twilio-messaging-service-sid.',
    );
  }
  if (!isOwn && (token !== undefined || senders.length > 0)) {
    throw new UsageError(
      '--twilio-auth-token, --twilio-from and --twilio-messaging-service-sid need --twilio-account-sid.',
    );
  }
}

/** The account, sealed with the service's key so that the service can open it. Null: the account of the service. */
async function sealTwilioAccount(
  tx: Tx,
  { organizationId }: Tenant,
  options: TwilioOptions,
): Promise<Buffer | null | undefined> {
  const { twilio_account_sid: accountSid, twilio_messaging_service_sid: service } = options;
  if (accountSid === undefined) return undefined;
  if (accountSid === 'none') return null;
  return sealAccount(sealWith(await openKey(tx), SEAL_PURPOSE), organizationId, {
    accountSid,
    authToken: options.twilio_auth_token ?? '',
    sender: service === undefined ? { from: options.twilio_from ?? '' } : { messagingServiceSid: service },
  });
}

async function presentSettings({ tx, tenant, now }: Place & { readonly tx: Tx }) {
  const settings = await readSettings(tx, tenant);
  const texts = await readTextLimits(tx, tenant, now);
  return {
    id: tenant.organizationId,
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

const presentMessage = (links: Links, row: Message) => ({
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
  ...pick(row, 'due_at', 'created_at', 'accepted_at'),
});

const presentOwnerEmail = (row: OwnerEmail): ReturnType<typeof presentMessage> => ({
  id: row.id,
  object: 'message',
  intro: null,
  to: 'owner',
  purpose: row.purpose,
  channel: 'email',
  ...pick(row, 'status', 'address', 'subject', 'body'),
  segments: null,
  attempts: row.attempts,
  error: row.error_message,
  reason: row.error_message,
  due_at: row.created_at.toISOString(),
  created_at: row.created_at.toISOString(),
  accepted_at: row.status === 'accepted' ? iso(row.settled_at) : null,
});

export const deliveryCommands = [
  organizationCommand({
    name: 'delivery set',
    needsOption: true,
    summary:
      'Changes the hours for texts to recipients, the limits on texts, or the Twilio account of an organization.',
    input: {
      texts_from: Hour('Earliest local time for texts to recipients. Default: 08:00.'),
      texts_until: Hour(
        'Latest local time for texts to recipients; later texts wait until morning. Default: 21:00. From 00:00 until 24:00 texts at any hour, even where the law of a US state forbids it.',
      ),
      twilio_account_sid: matching(
        '^(AC[0-9a-f]{32}|none)$',
        'must be a Twilio account SID (AC and 32 hexadecimal digits) or none',
        'Twilio account of the organization. "none" uses the account of the service.',
      ),
      twilio_auth_token: Option('Auth token of that account. Stored encrypted.', { minLength: 1 }),
      twilio_from: Type.Optional(Phone),
      twilio_messaging_service_sid: matching(
        '^MG[0-9a-f]{32}$',
        'must be the SID of a messaging service (MG and 32 hexadecimal digits)',
        'Messaging service of that account, instead of a number.',
      ),
      countries: matching(
        '^(default|[A-Z]{2}(,[A-Z]{2})*)$',
        'must be country codes with commas between them, such as US,CA, or default',
        'Countries whose numbers are texted, such as US,CA. "default": that of the time zone.',
      ),
      text_test_recordings: TrueOrFalse(
        'Whether recordings of the test helper are texted to real numbers. With true, a leaked API key can text anyone in the countries. Default: false.',
      ),
      forward_replies: TrueOrFalse(
        "Whether members answer replies of recipients through the service's number. With true, their messages hide the recipient's number. Default: false.",
      ),
      daily_texts: Amount('Texts of the organization per day.'),
      daily_texts_per_member: Amount('Texts about the intros of one member per day.'),
      daily_texts_per_recipient: Amount('Texts to one recipient per day.'),
    },
    example: '--texts-from 09:00 --texts-until 20:00',
    check({ texts_from: from, texts_until: until, countries, ...options }) {
      if (typeof from !== typeof until) throw new UsageError('Give --texts-from and --texts-until together.');
      if (from !== undefined && until !== undefined && toMinutes(from) >= toMinutes(until)) {
        throw new UsageError('--texts-from must be earlier than --texts-until.');
      }
      checkTwilioOptions(options);
      orDefault(countries, readCountries);
    },
    async run(about, given) {
      const { tx, tenant, now } = about;
      const change = pickGiven({
        texts_from: orDefault(given.texts_from, toMinutes) ?? undefined,
        texts_until: orDefault(given.texts_until, toMinutes) ?? undefined,
        twilio_account: await sealTwilioAccount(tx, tenant, given),
        countries: orDefault(given.countries, readCountries),
        texts_test_recordings: given.text_test_recordings,
        forwards_replies: given.forward_replies,
        daily_texts: orDefault(given.daily_texts, Number),
        daily_texts_per_member: orDefault(given.daily_texts_per_member, Number),
        daily_texts_per_recipient: orDefault(given.daily_texts_per_recipient, Number),
      });
      await saveSettings(tx, tenant, change, now);
      return presentSettings(about);
    },
  }),
  organizationCommand({
    name: 'delivery show',
    summary: 'Shows the hours for texts to recipients, and the limits on texts with their use today.',
    input: {},
    run: presentSettings,
  }),
  organizationCommand({
    name: 'delivery resume',
    summary: 'Resumes texts that were paused because of unusual activity. Otherwise, nothing changes.',
    input: {},
    async run(about) {
      await resumeTexts(about.tx, about.tenant, about.now);
      return presentSettings(about);
    },
  }),
  organizationCommand({
    name: 'message list',
    summary: 'Lists the latest messages to members, recipients and owners, newest first, with their full text.',
    input: { intro: Option('Only messages for this intro.') },
    async run({ tx, tenant }, { intro }) {
      if (intro !== undefined && (await findIntro(tx, tenant, intro)) === null) {
        throw new Failure(
          `This organization has no intro with the id "${intro}". GET /v1/intros and the console list them.`,
        );
      }
      const links = await openLinks(tx, readConfig());
      const messages = (await listMessages(tx, tenant, intro)).map((row) => presentMessage(links, row));
      const ownerEmails = intro === undefined ? (await listOwnerEmails(tx, tenant)).map(presentOwnerEmail) : [];
      return [...messages, ...ownerEmails].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    },
    show: showBlocks,
  }),
];
