import { redactLinks } from '../../links/index.ts';
import {
  type Accepted,
  type CarrierState,
  type InDoubt,
  type LookupResult,
  type Outcome,
  type Report,
  refusalOf,
  type Text,
  type TextCarrier,
  undelivered,
} from './carrier.ts';
import { indexCodes, TELNYX_CODES } from './codes.ts';
import { type Exchange, exchange } from './exchange.ts';
import { readTelnyxRegistration } from './registration.ts';

export interface TelnyxAccount {
  readonly apiKey: string;
  /** In base64. Telnyx signs its webhooks with the private key. */
  readonly publicKey: string;
  /** A number of the account, or a messaging profile with a pool of numbers. */
  readonly sender: { readonly from: string } | { readonly messagingProfileId: string };
  readonly apiUrl: string;
}

/** A text that replies to one: sent from the number that received it, without a delivery report. */
export interface TelnyxReply {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

export interface TelnyxCarrier extends TextCarrier {
  reply(reply: TelnyxReply): Promise<Outcome>;
}

const CODES = indexCodes(TELNYX_CODES);
/** An unexpected error and a timeout within Telnyx: the message may have been sent. */
const AMBIGUOUS: readonly string[] = ['10007', '10008'];

/** Latest records to a number that a lookup reads. A number gets far fewer while one is in doubt. */
const LOOKUP_LIMIT = 25;

interface Fault {
  readonly code?: unknown;
  readonly title?: unknown;
  readonly detail?: unknown;
}

const toCode = (code: unknown): string | null => (/^\d{5}$/.test(String(code)) ? String(code) : null);
const codeOf = (errors: unknown): string | null =>
  Array.isArray(errors) ? toCode((errors[0] as Fault | undefined)?.code) : null;

function describe(code: string, { detail, title }: Fault): string {
  const text = typeof detail === 'string' ? detail : typeof title === 'string' ? title : '';
  return `Telnyx ${code}: ${redactLinks(text).slice(0, 200)}`.trim();
}

const DELIVERED: Report = { status: 'delivered', code: null, message: null };

const toUndelivered = (code: string | null): Report =>
  undelivered(code === null ? undefined : CODES.get(code), 'Telnyx', code);

/** Null while the delivery is still open. `delivery_unconfirmed` stays open: some networks send no receipts. */
function reportOf(status: unknown, errors: unknown): Report | null {
  if (status === 'delivered') return DELIVERED;
  return status === 'sending_failed' || status === 'delivery_failed' || status === 'expired'
    ? toUndelivered(codeOf(errors))
    : null;
}

interface MessageResource {
  readonly id?: unknown;
  readonly to?: unknown;
  readonly errors?: unknown;
}

/** The id and the report in a message, as responses and webhooks contain it. */
export function readMessage(json: unknown): { carrierId: string | null; report: Report | null } {
  const { id, to, errors } = (json ?? {}) as MessageResource;
  const [first] = Array.isArray(to) ? (to as { status?: unknown }[]) : [];
  return { carrierId: typeof id === 'string' ? id : null, report: reportOf(first?.status, errors) };
}

function toAccepted(json: unknown): Accepted | null {
  const { carrierId, report } = readMessage((json as { data?: unknown } | undefined)?.data);
  return carrierId === null ? null : { kind: 'accepted', carrierId, report: report ?? undefined };
}

function readRefusal(status: number, json: unknown, retryAfterS: number | undefined): Outcome {
  const { errors } = (json ?? {}) as { errors?: unknown };
  const code = codeOf(errors);
  if (code === null) {
    return [401, 402, 403, 404].includes(status)
      ? { kind: 'unusable', fault: 'credentials', message: `Telnyx responded ${status}.` }
      : { kind: 'doubt', message: `Telnyx responded ${status} without an error code.` };
  }
  const reason = describe(code, (errors as Fault[])[0] ?? {});
  if (AMBIGUOUS.includes(code)) return { kind: 'doubt', message: reason };
  const known = CODES.get(code);
  if (known === undefined && [401, 402, 403, 404].includes(status)) {
    return { kind: 'unusable', fault: 'credentials', message: reason };
  }
  return refusalOf(known, { reason, retryAfterS });
}

function readResponse(response: Exchange): Outcome {
  if (response.kind === 'unsent') return { kind: 'later', message: response.message, isUnreachable: true };
  if (response.kind === 'unanswered') return { kind: 'doubt', message: response.message };
  const { status, json, retryAfterS } = response;
  if (status >= 200 && status < 300) {
    return toAccepted(json) ?? { kind: 'doubt', message: `Telnyx responded ${status} without a message.` };
  }
  if (status === 429) return { kind: 'later', message: 'Telnyx responded 429.', retryAfterS };
  if (status >= 400 && status < 500) return readRefusal(status, json, retryAfterS);
  return { kind: 'doubt', message: `Telnyx responded ${status}.` };
}

interface DetailRecord {
  readonly uuid?: unknown;
  readonly status?: unknown;
  readonly errors?: unknown;
  readonly delivery_status_webhook_url?: unknown;
}

/**
 * Telnyx has no idempotency key for messages, so a message is recognized by its status URL, which ends with our id. A missing
 * record proves nothing, because Telnyx does not promise when a record appears: the message stays in doubt.
 */
function findMessage(records: readonly DetailRecord[], { id }: InDoubt): LookupResult {
  const own = records.find(({ delivery_status_webhook_url: url }) => String(url).endsWith(`/${id}`));
  if (own === undefined) return { kind: 'later', message: 'Telnyx has no record of the message yet.' };
  const { uuid, status, errors } = own;
  const failed = status === 'failed' || status === 'gw_reject';
  const code = Array.isArray(errors) ? toCode(errors[0]) : null;
  const report = status === 'delivered' ? DELIVERED : failed ? toUndelivered(code) : undefined;
  return { kind: 'accepted', carrierId: typeof uuid === 'string' ? uuid : null, report };
}

export function createTelnyxCarrier({ apiKey, sender, apiUrl }: TelnyxAccount): TelnyxCarrier {
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json' };
  const get = (path: string) => exchange(`${apiUrl}${path}`, { method: 'GET', headers });
  const post = (body: object) =>
    exchange(`${apiUrl}/v2/messages`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const from = 'from' in sender ? { from: sender.from } : { messaging_profile_id: sender.messagingProfileId };

  return {
    name: 'telnyx',
    // The profile's webhook is for replies. Reports for another message would be lost there.
    send: async ({ to, body, statusUrl }: Text) =>
      readResponse(
        await post({ ...from, to, text: body, type: 'SMS', webhook_url: statusUrl, use_profile_webhooks: false }),
      ),
    reply: async ({ from, to, body }) =>
      readResponse(await post({ from, to, text: body, type: 'SMS', use_profile_webhooks: false })),
    async lookUp(message) {
      const query = new URLSearchParams({
        'filter[record_type]': 'messaging',
        'filter[cld]': message.to,
        sort: '-created_at',
        'page[size]': String(LOOKUP_LIMIT),
      });
      const response = await get(`/v2/detail_records?${query}`);
      if (response.kind !== 'response') return { kind: 'later', message: response.message };
      const { data } = (response.json ?? {}) as { data?: unknown };
      if (response.status !== 200 || !Array.isArray(data)) {
        return { kind: 'later', message: `Telnyx responded ${response.status} to a lookup.` };
      }
      return findMessage(data as DetailRecord[], message);
    },
    readRegistration: () => readTelnyxRegistration(sender, get),
    async check(): Promise<CarrierState> {
      const path =
        'from' in sender
          ? `/v2/messaging_phone_numbers/${encodeURIComponent(sender.from)}`
          : `/v2/messaging_profiles/${encodeURIComponent(sender.messagingProfileId)}`;
      const response = await get(path);
      if (response.kind !== 'response') return { status: 'unreachable', message: response.message };
      const { status } = response;
      if (status === 200) return { status: 'ok', message: 'Telnyx accepts the key and the sender.' };
      if (status === 404) return { status: 'refused', message: 'This Telnyx account does not have the sender.' };
      const isRefused = status === 401 || status === 403;
      return {
        status: isRefused ? 'refused' : 'unreachable',
        message: isRefused ? 'Telnyx rejects the API key.' : `Telnyx responded ${status}.`,
      };
    },
  };
}
