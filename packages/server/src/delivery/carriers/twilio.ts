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
import { indexCodes, TWILIO_CODES } from './codes.ts';
import { type Exchange, exchange } from './exchange.ts';
import { readTwilioRegistration } from './registration.ts';

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number of the account, or a messaging service that has several. */
  readonly sender: { readonly from: string } | { readonly messagingServiceSid: string };
}

const CODES = indexCodes(TWILIO_CODES);

/** Number of latest messages that a lookup reads. A number gets far fewer while one is in doubt. */
const LOOKUP_LIMIT = 50;
/** Twilio's clock may differ from ours. */
const CLOCK_TOLERANCE_MS = 60_000;

const describe = (code: number, message: unknown): string =>
  `Twilio ${code}: ${typeof message === 'string' ? redactLinks(message) : ''}`.trim();

/** Null while the delivery is still open. */
export function reportOf(status: string, errorCode: number | null): Report | null {
  if (status === 'delivered' || status === 'read') return { status: 'delivered', code: null, message: null };
  if (status !== 'undelivered' && status !== 'failed') return null;
  return undelivered(errorCode === null ? undefined : CODES.get(String(errorCode)), 'Twilio', errorCode);
}

interface Listed {
  readonly sid?: unknown;
  readonly body?: unknown;
  readonly status?: unknown;
  readonly error_code?: unknown;
  readonly date_created?: unknown;
}

function toAccepted({ sid, status, error_code }: Listed): Accepted | null {
  if (typeof sid !== 'string') return null;
  const report = reportOf(String(status), typeof error_code === 'number' ? error_code : null);
  return { kind: 'accepted', carrierId: sid, report: report ?? undefined };
}

function readRefusal({ status, json, retryAfterS }: Extract<Exchange, { kind: 'response' }>): Outcome {
  const { code, message } = (json ?? {}) as { code?: unknown; message?: unknown };
  const number = typeof code === 'number' ? code : status;
  const reason = describe(number, message);
  const known = CODES.get(String(number));
  if (known !== undefined) return refusalOf(known, { reason, retryAfterS });
  // The account is unknown or may not do this; the message is not at fault.
  if (status === 401 || status === 403 || status === 404) {
    return { kind: 'unusable', fault: 'credentials', message: reason };
  }
  if (status === 429) return { kind: 'later', message: `Twilio responded ${status}.`, retryAfterS };
  if (typeof code !== 'number') return { kind: 'doubt', message: `Twilio responded ${status} without an error code.` };
  return refusalOf(undefined, { reason, retryAfterS });
}

function readResponse(response: Exchange): Outcome {
  if (response.kind === 'unsent') return { kind: 'later', message: response.message, isUnreachable: true };
  if (response.kind === 'unanswered') return { kind: 'doubt', message: response.message };
  const { status, json, retryAfterS } = response;
  if (status >= 200 && status < 300) {
    const taken = toAccepted((json ?? {}) as Listed);
    return taken ?? { kind: 'doubt', message: `Twilio responded ${status} without a message.` };
  }
  if (status === 503) return { kind: 'later', message: `Twilio responded ${status}.`, retryAfterS };
  if (status >= 400 && status < 500) return readRefusal(response);
  return { kind: 'doubt', message: `Twilio responded ${status}.` };
}

/**
 * Twilio has no idempotency key, so a message is recognized by its text, which ends with the intro's link. Reminders of one
 * intro have the same text: messages known by their id are excluded.
 */
function findMessage(listed: readonly Listed[], { body, createdAt, otherCarrierIds }: InDoubt): LookupResult {
  const own = listed.find(
    // A trial account adds a prefix.
    (one) =>
      typeof one.body === 'string' &&
      one.body.endsWith(body) &&
      !otherCarrierIds.has(String(one.sid)) &&
      !(Date.parse(String(one.date_created)) < createdAt.getTime() - CLOCK_TOLERANCE_MS),
  );
  return (own && toAccepted(own)) ?? { kind: 'absent' };
}

export function createTwilioCarrier(account: TwilioAccount, apiUrl: string): TextCarrier {
  const root = `${apiUrl}/2010-04-01/Accounts/${encodeURIComponent(account.accountSid)}`;
  const authorization = `Basic ${Buffer.from(`${account.accountSid}:${account.authToken}`).toString('base64')}`;
  const headers = { authorization, accept: 'application/json' };

  function fields({ to, body, statusUrl }: Text): URLSearchParams {
    const { sender } = account;
    const from: Record<string, string> =
      'from' in sender ? { From: sender.from } : { MessagingServiceSid: sender.messagingServiceSid };
    return new URLSearchParams({ To: to, ...from, Body: body, StatusCallback: statusUrl });
  }

  return {
    name: 'twilio',
    send: async (text) =>
      readResponse(
        await exchange(`${root}/Messages.json`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: fields(text).toString(),
        }),
      ),
    async lookUp(message) {
      const query = new URLSearchParams({ To: message.to, PageSize: String(LOOKUP_LIMIT) });
      const response = await exchange(`${root}/Messages.json?${query}`, { method: 'GET', headers });
      if (response.kind !== 'response') return { kind: 'later', message: response.message };
      const { messages } = (response.json ?? {}) as { messages?: unknown };
      if (response.status !== 200 || !Array.isArray(messages)) {
        return { kind: 'later', message: `Twilio responded ${response.status} to a lookup.` };
      }
      return findMessage(messages as Listed[], message);
    },
    readRegistration: () => readTwilioRegistration(account, { apiUrl, headers }),
    async check(): Promise<CarrierState> {
      const response = await exchange(`${root}.json`, { method: 'GET', headers });
      if (response.kind !== 'response') return { status: 'unreachable', message: response.message };
      if (response.status === 200) return { status: 'ok', message: 'Twilio accepts the account.' };
      const isRefused = response.status === 401 || response.status === 403 || response.status === 404;
      return {
        status: isRefused ? 'refused' : 'unreachable',
        message: isRefused ? 'Twilio rejects the account or its token.' : `Twilio responded ${response.status}.`,
      };
    },
  };
}
