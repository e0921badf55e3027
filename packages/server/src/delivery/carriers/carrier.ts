import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Keyword } from '../inbound/rules.ts';
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
  readonly html: string;
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
