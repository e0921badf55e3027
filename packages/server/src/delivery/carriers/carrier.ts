import type { DeliveryFailureCode } from '@foreword/contract';

/** The carrier's report about a message it accepted. */
export interface Report {
  readonly status: 'delivered' | 'undelivered';
  readonly code: DeliveryFailureCode | null;
  readonly message: string | null;
}

export type Accepted = {
  readonly kind: 'accepted';
  readonly carrierId: string | null;
  /** If the carrier already knows whether it was delivered. */
  readonly report?: Report | undefined;
};

/** The outcome of one attempt to send. A carrier only chooses the kind; each kind has one consequence. */
export type Outcome =
  | Accepted
  /** Permanently. */
  | { readonly kind: 'refused'; readonly code: DeliveryFailureCode; readonly message: string }
  /** Certainly not sent; a retry may succeed. */
  | { readonly kind: 'later'; readonly message: string; readonly retryAfterS?: number | undefined }
  /** Certainly not sent: the carrier's account or address is wrong, and an operator has to fix it. */
  | { readonly kind: 'unusable'; readonly message: string }
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
  /** Our id, also used as the idempotency key where a carrier supports one. */
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
  readonly to: string;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attempt: number;
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

/**
 * The route of a message: a connected provider, the simulation of test numbers, or no one. Without a provider nothing leaves
 * the database: the message and its outcome are one commit, never in doubt.
 */
export type Route = 'provider' | 'simulation' | 'none';

export interface CarrierState {
  readonly status: 'ok' | 'unset' | 'refused' | 'unreachable';
  readonly message: string;
}

export interface Carrier<Message extends Text | Mail> {
  readonly name: string;
  send(message: Message): Promise<Outcome>;
  lookUp(message: InDoubt): Promise<LookupResult>;
  /** Checks the account without sending. */
  check(): Promise<CarrierState>;
}

export type TextCarrier = Carrier<Text>;
export type MailCarrier = Carrier<Mail>;
