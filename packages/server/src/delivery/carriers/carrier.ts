import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { parseJson } from '../../platform/json.ts';
import { createOutbound } from '../../platform/outbound.ts';
import { asObject, type Json } from '../bounces/reports.ts';
import type { Keyword } from '../inbound/rules.ts';
import { CARRIER_LIMIT_MS } from '../queue/rules.ts';
import type { AccountFault, CarrierCode } from './codes.ts';

/** The carrier's report about a message it accepted. */
export interface Report {
  readonly status: 'delivered' | 'undelivered';
  readonly code: DeliveryFailureCode | null;
  readonly message: string | null;
  /** The account is at fault, not the recipient. */
  readonly fault?: AccountFault | undefined;
  /** The text certainly did not arrive, and another one may: once the account works, or later. */
  readonly again?: 'hold' | 'retry' | undefined;
}

export type Accepted = {
  readonly kind: 'accepted';
  readonly carrierId: string | null;
  /** If the carrier already knows whether it was delivered. */
  readonly report?: Report | null;
};

/**
 * The outcome of one attempt to send. A carrier only chooses the kind; each kind has one consequence. `mayFailOver`: there is a
 * second carrier, which may get the message.
 */
export type Outcome =
  | Accepted
  /** Permanently. With a fault, the owners have to change something in the account. */
  | {
      readonly kind: 'refused';
      readonly code: DeliveryFailureCode;
      readonly message: string;
      readonly fault?: AccountFault | undefined;
      /** According to the mail server, the email address does not exist. */
      readonly isAddressWrong?: boolean;
    }
  /** Certainly not sent; a retry may succeed. */
  | {
      readonly kind: 'later';
      readonly message: string;
      readonly retryAfterS?: number | undefined;
      /** No connection: not even a part of the request was sent. */
      readonly isUnreachable?: true;
      readonly mayFailOver?: boolean;
    }
  /** Certainly not sent: the account with the carrier cannot send, and an owner or operator has to fix it. */
  | {
      readonly kind: 'unusable';
      readonly fault: AccountFault;
      readonly message: string;
      readonly mayFailOver?: boolean;
    }
  /** Possibly sent. */
  | { readonly kind: 'doubt'; readonly message: string };

/** Whether the carrier has a message that is in doubt. */
export type LookupResult =
  | Accepted
  | { readonly kind: 'absent' }
  | { readonly kind: 'later'; readonly message: string }
  /** The carrier has no lookup. */
  | { readonly kind: 'unsupported' };

export interface Text {
  /** Our id, and the idempotency key where a carrier supports one. */
  readonly id: string;
  readonly to: string;
  readonly body: string;
  /** Where the carrier reports the delivery. */
  readonly statusUrl: string;
  /** Counts from one. */
  readonly attempt: number;
}

export interface Mail {
  readonly id: string;
  /** Identifies the email in reports of bounces. */
  readonly token?: string;
  readonly to: string;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  /** Only a mail server needs it. */
  readonly html: () => string;
  readonly attempt: number;
  /** Turns emails of this kind off. The mail client shows a button for it (RFC 8058). */
  readonly unsubscribeUrl?: string;
  /** Called when the mail server asks for the content. If it rejects, the email is not sent. */
  readonly beforeContent?: () => Promise<void>;
}

/** A message that was possibly sent. */
export interface InDoubt {
  readonly id: string;
  readonly to: string;
  readonly body: string;
  readonly carrierId: string | null;
  /** No later than the first attempt. */
  readonly createdAt: Date;
  /** Carrier ids of other messages, which may have the same text. */
  readonly otherCarrierIds: ReadonlySet<string>;
}

/** A text that a carrier received at one of our numbers. */
export interface ReceivedText {
  readonly from: string;
  readonly body: string;
  /** Pictures and other files, which are not stored. */
  readonly media?: number;
  /** The keyword that the carrier recognized, which may be one of the account's own; null or undefined: none. */
  readonly keyword?: Keyword | null;
  /** Identifies the text if its carrier may report it again. */
  readonly reported?: { readonly carrier: string; readonly id: string };
}

/** A status that a carrier reports by calling us. */
export interface StatusCall {
  readonly carrier: string;
  readonly carrierId: string | null;
  /** Null: the carrier has the message, and its outcome is open. */
  readonly report: Report | null;
}

/**
 * The route of a message: a connected provider, the simulation of test numbers, or no one. Without a provider nothing leaves
 * the database: the message and its outcome are one commit, never in doubt.
 */
export type Route = 'provider' | 'simulation' | 'none';

export interface CarrierState {
  readonly status: 'ok' | 'unset' | 'refused' | 'unreachable';
  readonly message: string;
}

/** Whether mobile networks know the sender: A2P 10DLC, or the verification of a toll-free number. */
export interface Registration {
  readonly status: 'registered' | 'pending' | 'missing' | 'rejected' | 'unknown';
  readonly message: string;
  /** Null: nothing to do. */
  readonly next: string | null;
}

export interface Carrier<Message extends Text | Mail> {
  readonly name: string;
  send(message: Message): Promise<Outcome>;
  lookUp(message: InDoubt): Promise<LookupResult>;
  /** Checks the account without sending. */
  check(): Promise<CarrierState>;
  /** Null: the sender needs none. Undefined: this carrier cannot say. */
  readRegistration?(): Promise<Registration | null>;
}

export type TextCarrier = Carrier<Text>;
export type MailCarrier = Carrier<Mail>;

/** The outcome of a text that the carrier rejected in its response. Undefined: the carrier's code is not in our table. */
export function refusalOf(
  code: CarrierCode | undefined,
  { reason, retryAfterS }: { readonly reason: string; readonly retryAfterS: number | undefined },
): Outcome {
  if (code?.action === 'retry') return { kind: 'later', message: reason, retryAfterS };
  if (code?.action === 'hold') return { kind: 'unusable', fault: code.fault, message: reason };
  const failure = code?.failure ?? 'carrier_refused';
  const message = `${DELIVERY_FAILURES[failure]} (${reason})`;
  return { kind: 'refused', code: failure, message, ...(code?.action === 'notify' && { fault: code.fault }) };
}

export const DELIVERED: Report = { status: 'delivered', code: null, message: null };

/** The report about a text that the carrier accepted at first, but did not deliver. */
export function undelivered(code: CarrierCode | undefined, carrier: string, given: number | string | null): Report {
  const isAgain = code?.action === 'retry' || code?.action === 'hold';
  const failure = code === undefined || isAgain ? 'undelivered' : code.failure;
  const message = given === null ? DELIVERY_FAILURES[failure] : `${DELIVERY_FAILURES[failure]} (${carrier} ${given})`;
  return {
    status: 'undelivered',
    code: failure,
    message,
    ...(isAgain && { again: code.action }),
    ...((code?.action === 'hold' || code?.action === 'notify') && { fault: code.fault }),
  };
}

/** A carrier's response is a line or two. A longer one is cut, which makes it unreadable as JSON. */
const RESPONSE_LIMIT_BYTES = 64 * 1024;

export interface Response {
  readonly kind: 'response';
  readonly status: number;
  /** Undefined: the response is not JSON. */
  readonly json: unknown;
  readonly retryAfterS: number | undefined;
}

export type Exchange =
  | Response
  | { readonly kind: 'unsent'; readonly message: string }
  /** The request may have arrived. */
  | { readonly kind: 'unanswered'; readonly message: string };

/** Carriers are chosen by the operator, and may be on a private network. */
const outbound = createOutbound({ allowPrivate: true });

/** Sends one request. Redirects are not followed, because they would send the credentials to another host. */
export async function exchange(
  url: string,
  sent: { method: 'GET' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<Exchange> {
  const limits = { timeoutMs: CARRIER_LIMIT_MS, keepBytes: RESPONSE_LIMIT_BYTES };
  const { response, fault, isSent } = await outbound.request({ url, ...sent, ...limits });
  if (response === null) return { kind: isSent ? 'unanswered' : 'unsent', message: fault?.message ?? '' };
  const { status, headers, body } = response;
  const seconds = Number(headers['retry-after'] ?? '');
  // If the body breaks off, the status still counts.
  return { kind: 'response', status, json: parseJson(body.toString()), retryAfterS: seconds > 0 ? seconds : undefined };
}

/** The outcome of a request that sends a text. */
export function outcomeOf(sent: Exchange, read: (response: Response) => Outcome): Outcome {
  if (sent.kind === 'unsent') return { kind: 'later', message: sent.message, isUnreachable: true };
  return sent.kind === 'unanswered' ? { kind: 'doubt', message: sent.message } : read(sent);
}

/** The objects of a list in a successful response; null without one. */
export function listIn(sent: Exchange, key: string): Json[] | null {
  const list = sent.kind === 'response' && sent.status === 200 ? asObject(sent.json)[key] : undefined;
  return Array.isArray(list) ? list.map(asObject) : null;
}

/** Finds a message in doubt in the list that a carrier responds with. */
export function lookUpIn(
  sent: Exchange,
  { carrier, key }: { readonly carrier: string; readonly key: string },
  find: (listed: readonly Json[]) => LookupResult,
): LookupResult {
  if (sent.kind !== 'response') return { kind: 'later', message: sent.message };
  const listed = listIn(sent, key);
  return listed === null
    ? { kind: 'later', message: `${carrier} responded ${sent.status} to a lookup.` }
    : find(listed);
}

/** The state of the account in the response to a check. `refusals` has the statuses with which the carrier rejects it. */
export function stateOf(
  sent: Exchange,
  { carrier, ok, refusals }: { carrier: string; ok: string; refusals: Readonly<Record<number, string>> },
): CarrierState {
  if (sent.kind !== 'response') return { status: 'unreachable', message: sent.message };
  const { status } = sent;
  if (status === 200) return { status: 'ok', message: ok };
  const refusal = refusals[status];
  return refusal === undefined
    ? { status: 'unreachable', message: `${carrier} responded ${status}.` }
    : { status: 'refused', message: refusal };
}

/** Rejects signed calls that are older or newer, which may be replays. */
const TOLERANCE_S = 300;

export const isRecent = (timestampS: string, now: Date): boolean =>
  /^\d+$/.test(timestampS) && Math.abs(now.getTime() / 1000 - Number(timestampS)) <= TOLERANCE_S;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export const TOLL_FREE = /^\+18(00|33|44|55|66|77|88)\d{7}$/;

/** The registrations that senders in the US need, each with the first step for a sender without one. */
const REGISTRATIONS = {
  campaign: {
    name: 'The A2P 10DLC campaign of the sender',
    start: 'Register a brand and a campaign in the portal of the carrier, and add the number to the campaign.',
  },
  toll_free: {
    name: 'The toll-free verification of the sender',
    start: 'Submit the toll-free verification in the portal of the carrier.',
  },
} as const;

const STATES = {
  registered: { state: 'is approved', next: null },
  pending: { state: 'is in review', next: 'Wait for the review. Texts are held until then.' },
  rejected: { state: 'is not approved', next: 'Read the reason in the portal of the carrier, and correct it there.' },
} as const;

export type CarrierStates = Readonly<Record<string, keyof typeof STATES>>;

export const UNREADABLE: Registration = {
  status: 'unknown',
  message: 'The carrier does not say whether the sender is registered.',
  next: 'Check the registration in the portal of the carrier.',
};

/**
 * In the same words for every carrier, with the carrier's own word. `states` has those words, the best one first, which decides;
 * `given` has the words that the carrier responded with, and is undefined if it did not respond.
 */
export function describeRegistration(
  kind: keyof typeof REGISTRATIONS,
  states: CarrierStates,
  given: readonly unknown[] | undefined,
): Registration {
  const { name, start } = REGISTRATIONS[kind];
  if (given?.length === 0) return { status: 'missing', message: `${name} does not exist.`, next: start };
  const best = Object.entries(states).find(([word]) => given?.includes(word));
  if (best === undefined) return UNREADABLE;
  const [word, status] = best;
  const { state, next } = STATES[status];
  return { status, message: `${name} ${state} (${word}).`, next };
}
