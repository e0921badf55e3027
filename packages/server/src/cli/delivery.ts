import { Phone } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { readConfig } from '../config.ts';
import { changeSettings, listMessages, listOwnerEmails, sealAccount, type TwilioAccount } from '../delivery/index.ts';
import { findIntro } from '../intros/index.ts';
import { testTenant } from '../organizations/index.ts';
import { createSeal } from '../platform/seal.ts';
import { openServerKey, requireSameKey } from '../platform/server-key.ts';
import type { Tables } from '../tables.ts';
import { SEAL_PURPOSE } from '../webhooks/index.ts';
import { databaseCommand, Organization, type Shown } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showBlocks, showObject } from './print.ts';

const HOUR = '^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$';
const Hour = (description: string) =>
  Type.String({ pattern: HOUR, 'x-problem': 'must be a time of day, such as 08:00', description });

const toMinutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const toHour = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Seals with the service's key, so that the service can open it. */
async function seal(tx: Transaction<Tables>, organizationId: string, account: TwilioAccount): Promise<Buffer> {
  const config = readConfig();
  const key = openServerKey({ dataDir: config.dataDir, given: config.serverKey });
  await requireSameKey(tx, key);
  return sealAccount(createSeal(key.derive(SEAL_PURPOSE)), organizationId, account);
}

type Message = Awaited<ReturnType<typeof listMessages>>[number];
type OwnerEmail = Awaited<ReturnType<typeof listOwnerEmails>>[number];

const showMessage = (row: Message) => ({
  id: row.id,
  object: 'message',
  intro: row.intro_id as string | null,
  to: row.audience as string,
  purpose: row.purpose as string,
  channel: row.channel,
  status: row.status as string,
  address: row.address,
  subject: row.subject,
  body: row.body,
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
  purpose: 'webhook_disabled',
  channel: 'email',
  status: row.status,
  address: row.address,
  subject: row.subject,
  body: row.body,
  segments: null,
  attempts: row.attempts,
  error: row.error_message,
  reason: row.error_message,
  due_at: row.due_at.toISOString(),
  created_at: row.created_at.toISOString(),
  accepted_at: row.status === 'accepted' ? (row.settled_at?.toISOString() ?? null) : null,
});

export const deliveryCommands = [
  databaseCommand({
    path: ['delivery', 'set'],
    summary: 'Changes the hours for texts to recipients, or the Twilio account of an organization.',
    input: Type.Object({
      org: Organization,
      'texts-from': Type.Optional(Hour('Earliest local time for texts to recipients. Default: 08:00.')),
      'texts-until': Type.Optional(
        Hour('Latest local time for texts to recipients; later texts wait until morning. Default: 21:00.'),
      ),
      'twilio-account-sid': Type.Optional(
        Type.String({
          pattern: '^(AC[0-9a-f]{32}|none)$',
          'x-problem': 'must be a Twilio account SID (AC and 32 hexadecimal digits) or none',
          description: 'Twilio account of the organization. "none" uses the account of the service.',
        }),
      ),
      'twilio-auth-token': Type.Optional(
        Type.String({ minLength: 1, description: 'Auth token of that account. Stored encrypted.' }),
      ),
      'twilio-from': Type.Optional(Phone),
    }),
    example: 'foreword delivery set --texts-from 09:00 --texts-until 20:00',
    check(input) {
      if ((input['texts-from'] === undefined) !== (input['texts-until'] === undefined)) {
        throw new UsageError('Give --texts-from and --texts-until together.');
      }
      const { 'texts-from': from, 'texts-until': until, 'twilio-account-sid': sid } = input;
      if (from !== undefined && until !== undefined && toMinutes(from) >= toMinutes(until)) {
        throw new UsageError('--texts-from must be earlier than --texts-until.');
      }
      const isOwn = sid !== undefined && sid !== 'none';
      const parts = [input['twilio-auth-token'], input['twilio-from']];
      if (isOwn && parts.includes(undefined)) {
        throw new UsageError('--twilio-account-sid also needs --twilio-auth-token and --twilio-from.');
      }
      if (!isOwn && parts.some((part) => part !== undefined)) {
        throw new UsageError('--twilio-auth-token and --twilio-from need --twilio-account-sid.');
      }
      if (from === undefined && sid === undefined)
        throw new UsageError('Nothing to change: give --texts-from and --texts-until, or --twilio-account-sid.');
    },
    async run(tx, input): Promise<Shown> {
      const { id } = await requireOrganization(tx, input.org);
      const { 'texts-from': from, 'texts-until': until, 'twilio-account-sid': accountSid } = input;
      const account =
        accountSid === undefined || accountSid === 'none'
          ? null
          : await seal(tx, id, {
              accountSid,
              authToken: input['twilio-auth-token'] ?? '',
              sender: { from: input['twilio-from'] ?? '' },
            });
      const hours =
        from === undefined || until === undefined ? undefined : { from: toMinutes(from), until: toMinutes(until) };
      const change = { hours, ...(accountSid !== undefined && { account }) };
      const settings = await changeSettings(tx, testTenant(id), change, commandClock());
      return {
        id,
        object: 'delivery_settings',
        texts_from: toHour(settings.hours.from),
        texts_until: toHour(settings.hours.until),
        own_twilio_account: settings.hasOwnAccount,
      };
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
      const messages = (await listMessages(tx, testTenant(id), intro)).map(showMessage);
      const ownerEmails = intro === undefined ? (await listOwnerEmails(tx, testTenant(id))).map(showOwnerEmail) : [];
      return [...messages, ...ownerEmails].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    },
    show: (messages) => showBlocks(messages),
  }),
];
