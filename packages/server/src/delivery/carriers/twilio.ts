import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Accepted, CarrierState, Doubtful, Finding, Outcome, Report, Text, TextCarrier } from './carrier.ts';
import { type Exchange, exchange } from './exchange.ts';

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  /** A number of the account, or a messaging service that has several. */
  readonly sender: { readonly from: string } | { readonly messagingServiceSid: string };
}

/** Twilio's codes that mean something to whoever waits for the intro. */
const FAILURES: Readonly<Record<number, DeliveryFailureCode>> = {
  21211: 'invalid_number',
  21217: 'invalid_number',
  // Only this one is the recipient's own STOP.
  21610: 'recipient_opted_out',
  // The account may not text to that country.
  21408: 'carrier_refused',
  21612: 'unreachable_number',
  21614: 'unreachable_number',
  30003: 'undelivered',
  30004: 'undelivered',
  30005: 'invalid_number',
  30006: 'unreachable_number',
};
/** The sender is not ours, not able, or not given: a matter of the account. */
const OF_THE_ACCOUNT = new Set([20003, 20404, 21212, 21603, 21606, 21659, 21660, 21703, 21704, 21705]);
const TOO_MANY = new Set([20429, 14107, 63018]);

/** How many of the last messages to a number are looked through. More are never under way in the minutes of a doubt. */
const LOOKED_THROUGH = 50;
/** Their clock and ours. */
const CLOCK_TOLERANCE_MS = 60_000;

const says = (code: number, message: unknown): string =>
  `Twilio ${code}: ${typeof message === 'string' ? message : ''}`.trim();

/** What a status of Twilio's means for the message; null while it is still on its way. */
export function reportOf(status: string, errorCode: number | null): Report | null {
  if (status === 'delivered' || status === 'read') return { status: 'delivered', code: null, message: null };
  if (status !== 'undelivered' && status !== 'failed') return null;
  const code = (errorCode !== null ? FAILURES[errorCode] : undefined) ?? 'undelivered';
  const reason = errorCode === null ? DELIVERY_FAILURES[code] : `${DELIVERY_FAILURES[code]} (Twilio ${errorCode})`;
  return { status: 'undelivered', code, message: reason };
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

function readRefusal(status: number, json: unknown): Outcome {
  const { code, message } = (json ?? {}) as { code?: unknown; message?: unknown };
  const number = typeof code === 'number' ? code : status;
  if (status === 401 || status === 403 || OF_THE_ACCOUNT.has(number)) {
    return { kind: 'unusable', message: says(number, message) };
  }
  if (TOO_MANY.has(number)) return { kind: 'later', message: says(number, message) };
  // No account at this address: not the message is at fault.
  if (status === 404) return { kind: 'unusable', message: says(number, message) };
  if (typeof code !== 'number') return { kind: 'doubt', message: `Twilio answered ${status} without saying why.` };
  const failure = FAILURES[number] ?? 'carrier_refused';
  return { kind: 'refused', code: failure, message: `${DELIVERY_FAILURES[failure]} (${says(number, message)})` };
}

function readAnswer(answer: Exchange): Outcome {
  if (answer.kind === 'unsent') return { kind: 'later', message: answer.message };
  if (answer.kind === 'unanswered') return { kind: 'doubt', message: answer.message };
  const { status, json, retryAfterS } = answer;
  if (status >= 200 && status < 300) {
    const taken = toAccepted((json ?? {}) as Listed);
    return taken ?? { kind: 'doubt', message: `Twilio answered ${status} with something else than a message.` };
  }
  if (status === 429 || status === 503) return { kind: 'later', message: `Twilio answered ${status}.`, retryAfterS };
  if (status >= 400 && status < 500) return readRefusal(status, json);
  return { kind: 'doubt', message: `Twilio answered ${status}.` };
}

/**
 * Twilio takes no idempotency key: which message is ours shows by its words, which end in the link of the intro. Reminders of
 * one intro say the same: those that are known to be another one are left out.
 */
function findOwn(listed: readonly Listed[], { body, createdAt, idsOfOthers }: Doubtful): Finding {
  const own = listed.find(
    // A trial account puts words of its own before ours.
    (one) =>
      typeof one.body === 'string' &&
      one.body.endsWith(body) &&
      !idsOfOthers.has(String(one.sid)) &&
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
    isLocal: false,
    send: async (text) =>
      readAnswer(
        await exchange(`${root}/Messages.json`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: fields(text).toString(),
        }),
      ),
    async look(message) {
      const query = new URLSearchParams({ To: message.to, PageSize: String(LOOKED_THROUGH) });
      const answer = await exchange(`${root}/Messages.json?${query}`, { method: 'GET', headers });
      if (answer.kind !== 'answer') return { kind: 'later', message: answer.message };
      const { messages } = (answer.json ?? {}) as { messages?: unknown };
      if (answer.status !== 200 || !Array.isArray(messages)) {
        return { kind: 'later', message: `Twilio answered ${answer.status} to a question.` };
      }
      return findOwn(messages as Listed[], message);
    },
    async check(): Promise<CarrierState> {
      const answer = await exchange(`${root}.json`, { method: 'GET', headers });
      if (answer.kind !== 'answer') return { status: 'unreachable', message: answer.message };
      if (answer.status === 200) return { status: 'ok', message: 'Twilio takes the account.' };
      const isRefused = answer.status === 401 || answer.status === 403 || answer.status === 404;
      return {
        status: isRefused ? 'refused' : 'unreachable',
        message: isRefused ? 'Twilio refuses the account or its token.' : `Twilio answered ${answer.status}.`,
      };
    },
  };
}
