import { ID_PATTERN } from '../../platform/ids.ts';
import { parseJson } from '../../platform/json.ts';
import { hmac, isSame } from '../../platform/seal.ts';
import type { ServerKey } from '../../platform/server-key.ts';

/** A mail server's or provider's report that an email failed for good. */
export interface BounceReport {
  /** Message-IDs and envelope ids without their domain: one of them may be ours. */
  readonly tokens: readonly string[];
  /** Addresses that the email may have been sent to. */
  readonly addresses: readonly string[];
  readonly code: string | null;
  readonly reason: string | null;
}

/** Anyone can write to the address for bounces. Reports list a few; more would only cost time. */
const MAX_CANDIDATES = 10;
/** The part of a field that is searched for them. */
const MAX_FIELD_LENGTH = 4_000;

const candidatesIn = (field: string, pattern: RegExp): string[] =>
  [...field.slice(0, MAX_FIELD_LENGTH).matchAll(pattern)].map(([found]) => found).slice(0, MAX_CANDIDATES);

const tokensIn = (field: string): string[] => candidatesIn(field, /[^\s<>,;"@]{1,200}/g);

const addressesIn = (field: string): string[] => candidatesIn(field, /[^\s<>,;:"@]{1,100}@[^\s<>,;:"@]{1,255}/g);

const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export type Json = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const asObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asObject) : []);

/** Null if the text is no JSON object. */
export function readJson(text: string): Json | null {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** The format of this service, for any other provider. Null if a field is missing. */
export function readPlainReport(json: Json): BounceReport | null {
  const [messageId, address, code] = [asText(json.message_id), asText(json.address), asText(json.status)];
  if (messageId === null || address === null || code === null || !/^[45]\.\d{1,3}\.\d{1,3}$/.test(code)) return null;
  const reason = asText(json.reason);
  return { tokens: tokensIn(messageId), addresses: addressesIn(address), code, reason };
}

/** Enhanced status codes (RFC 3463) of accounts and domains that do not exist, have moved or are disabled. */
const WRONG_ADDRESSES: readonly string[] = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1', '5.4.4'];

/** For servers that send no enhanced code, or one that says nothing more than "failed". */
const UNKNOWN_USER =
  /\b(no such (user|mail ?box|recipient|address)|(user|mail ?box|recipient|address|account)( \S{1,100})? (is )?(unknown|not found|does(n't| not) exist|disabled|inactive)|unknown (user|mail ?box|recipient))\b/i;

interface MailStatus {
  /** Enhanced code such as `5.1.1`, if the server sent one. */
  readonly code: string | null;
  readonly text: string | null;
}

/**
 * Whether no email will ever reach this address. Full inboxes, policies and blocked senders say nothing about the address:
 * marking it would turn one blocked sender into a team without email.
 */
export const isAddressWrong = ({ code, text }: MailStatus): boolean => {
  if (code !== null && code !== '5.0.0') return WRONG_ADDRESSES.includes(code);
  return text !== null && UNKNOWN_USER.test(text);
};

/** The enhanced code at the beginning of a server's response, as in `550 5.1.1 No such user`. */
export const enhancedCodeIn = (response: string): string | null =>
  /^\s*\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? null;

const MAX_REASON = 200;

/** One line for people, without control characters. */
export const toReason = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON);

/** Delivery status notifications: RFC 3464 within RFC 6522, as mail servers send them to the envelope sender. */

/** The beginning of an email that is read. The report precedes the email that it returns. */
const MAX_REPORT_BYTES = 128 * 1024;

/** Fields by name in lower case; the first one of each. */
type Fields = ReadonlyMap<string, string>;

async function readFields(text: string): Promise<Fields> {
  const { default: PostalMime } = await import('postal-mime');
  const { headers } = await PostalMime.parse(text);
  return new Map(headers.map(({ key, value }): [string, string] => [key, value.trim()]).toReversed());
}

/** RFC 3461 writes some characters of an original recipient as `+2B`. */
const decodeXText = (text: string): string =>
  text.replaceAll(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const withoutType = (field: string): string => field.slice(field.indexOf(';') + 1).trim();

function readRecipient(recipient: Fields, original: Fields, tokens: readonly string[]): BounceReport[] {
  if (recipient.get('action')?.toLowerCase() !== 'failed') return [];
  const given = withoutType(recipient.get('original-recipient') ?? '');
  const named = [
    given,
    decodeXText(given),
    withoutType(recipient.get('final-recipient') ?? ''),
    original.get('to') ?? '',
  ];
  const diagnostic = recipient.get('diagnostic-code');
  return [
    {
      tokens,
      addresses: named.flatMap(addressesIn),
      code: /\d\.\d{1,3}\.\d{1,3}/.exec(recipient.get('status') ?? '')?.[0] ?? null,
      reason: diagnostic === undefined ? null : withoutType(diagnostic),
    },
  ];
}

async function readReport(raw: Buffer): Promise<BounceReport[]> {
  const { default: PostalMime } = await import('postal-mime');
  const { attachments } = await PostalMime.parse(raw.subarray(0, MAX_REPORT_BYTES), {
    forceRfc822Attachments: true,
    attachmentEncoding: 'utf8',
  });
  const contentOf = (types: RegExp): string =>
    String(attachments.find(({ mimeType }) => types.test(mimeType))?.content ?? '');
  const original = await readFields(contentOf(/^(message\/rfc822|text\/rfc822-headers|message\/global)/));
  const groups = contentOf(/^message\/(global-)?delivery-status$/)
    .split(/(?:\r?\n){2,}/)
    .filter((group) => group.trim() !== '');
  const fields = await Promise.all(groups.slice(0, 1 + MAX_CANDIDATES).map(readFields));
  const [general = new Map<string, string>(), ...recipients] = fields;
  const tokens = [general.get('original-envelope-id'), original.get('message-id')].flatMap((id) => tokensIn(id ?? ''));
  return recipients.flatMap((recipient) => readRecipient(recipient, original, tokens));
}

/** The recipients that failed for good; empty if the email is no such report, or only a warning about a delay. */
export const readDeliveryStatus = (raw: Buffer): Promise<BounceReport[]> =>
  // Emails that are nested too deeply are no reports.
  readReport(raw).catch(() => []);

/** Amazon SES reports bounces through SNS, which first asks to confirm the subscription. */

type AmazonCall =
  | { readonly kind: 'confirm'; readonly url: string }
  | { readonly kind: 'reports'; readonly reports: readonly BounceReport[] };

const SNS_HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?$/;

/** Only pages of SNS are opened, so that a caller cannot use this service to open others. */
function readSubscribeUrl(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  const isSns = url?.protocol === 'https:' && SNS_HOST.test(url.hostname) && url.port === '' && url.username === '';
  return isSns ? url.href : null;
}

/** SES calls bounces that are no fault of the address "Transient" or "Undetermined". */
const PERMANENT = 'Permanent';

function readNotification(notification: Json): BounceReport[] {
  const bounce = asObject(notification.bounce);
  const type = asText(notification.notificationType) ?? asText(notification.eventType);
  if (type !== 'Bounce') return [];
  const mail = asObject(notification.mail);
  // SES replaces the Message-ID; the original one is among the headers.
  const ids = asObjects(mail.headers)
    .filter(({ name }) => asText(name)?.toLowerCase() === 'message-id')
    .map(({ value }) => value);
  const tokens = [...ids, asObject(mail.commonHeaders).messageId].flatMap((id) => tokensIn(asText(id) ?? ''));
  const isPermanent = bounce.bounceType === PERMANENT;
  return asObjects(bounce.bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
    const code = asText(status);
    return {
      tokens,
      addresses: addressesIn(asText(emailAddress) ?? ''),
      // Addresses on the suppression list of SES have no code, or that of a policy.
      code: isPermanent ? '5.1.1' : code !== null && code !== '5.1.1' ? code : '5.2.0',
      reason: asText(diagnosticCode),
    };
  });
}

/** Null if the call is not from SNS. */
export function readAmazonCall(json: Json): AmazonCall | null {
  const type = asText(json.Type);
  if (type === 'SubscriptionConfirmation') {
    const url = readSubscribeUrl(asText(json.SubscribeURL));
    return url === null ? null : { kind: 'confirm', url };
  }
  if (type !== 'Notification') return null;
  const notification = readJson(asText(json.Message) ?? '');
  return { kind: 'reports', reports: notification === null ? [] : readNotification(notification) };
}

/** An email that this service sent to this address. */
interface SentEmail {
  readonly organizationId: string;
  readonly id: string;
  readonly address: string;
}

/** 128 bits, so that the whole token fits into the 100 characters of an envelope id (RFC 3461). */
const SIGNATURE_DIGITS = 32;

/** Identifies emails in reports of bounces. Nothing about them is stored, so emails that are never stored have one, too. */
export function createMessageTokens(serverKey: Pick<ServerKey, 'derive'>) {
  const key = serverKey.derive('token of an email');
  const signatureOf = ({ organizationId, id, address }: SentEmail): string =>
    hmac(key, `${organizationId}.${id}.${address.toLowerCase()}`).toString('hex').slice(0, SIGNATURE_DIGITS);
  return {
    /** For the Message-ID and the envelope. Only the recipient and the mail servers see it. */
    tokenOf: (email: SentEmail): string => `${email.id}.${email.organizationId}.${signatureOf(email)}`,
    /** The email that a report is about. Null unless a token was made for one of the addresses. */
    find(tokens: readonly string[], addresses: readonly string[]): SentEmail | null {
      for (const token of tokens) {
        // Some mail servers change the case.
        const [id = '', organizationId = '', signature = ''] = token.toLowerCase().split('.');
        if (!ID_PATTERN.test(id) || !ID_PATTERN.test(organizationId)) continue;
        for (const address of addresses) {
          const email = { organizationId, id, address: address.toLowerCase() };
          if (isSame(signature, signatureOf(email))) return email;
        }
      }
      return null;
    },
  };
}

export type MessageTokens = ReturnType<typeof createMessageTokens>;
