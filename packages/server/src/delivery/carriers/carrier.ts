import type { DeliveryFailureCode } from '@foreword/contract';

/** What is known of a message after the carrier took it. */
export interface Report {
  readonly status: 'delivered' | 'undelivered';
  readonly code: DeliveryFailureCode | null;
  readonly message: string | null;
}

export type Accepted = {
  readonly kind: 'accepted';
  readonly carrierId: string | null;
  /** When the carrier knows the end of it already. */
  readonly report?: Report | undefined;
};

/** What became of asking a carrier to send. Each kind has one consequence, so that a carrier decides nothing but the kind. */
export type Outcome =
  | Accepted
  /** For good. */
  | { readonly kind: 'refused'; readonly code: DeliveryFailureCode; readonly message: string }
  /** Certainly not sent, and may be later. */
  | { readonly kind: 'later'; readonly message: string; readonly retryAfterS?: number | undefined }
  /** Certainly not sent: the account or the address of the carrier is wrong. Nobody is told a thing until an operator mends it. */
  | { readonly kind: 'unusable'; readonly message: string }
  /** Perhaps sent. */
  | { readonly kind: 'doubt'; readonly message: string };

/** What a carrier says when it is asked whether it has a message. */
export type Finding =
  | Accepted
  | { readonly kind: 'absent' }
  | { readonly kind: 'later'; readonly message: string }
  /** It cannot be asked, and never could. */
  | { readonly kind: 'unanswerable' };

export interface Text {
  /** Ours; carriers that take one get it as the idempotency key. */
  readonly id: string;
  readonly to: string;
  readonly body: string;
  /** Where the carrier tells what became of it. */
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

/** A message that was perhaps sent. */
export interface Doubtful {
  readonly id: string;
  readonly to: string;
  readonly body: string;
  readonly carrierId: string | null;
  /** When it was first tried to be sent, at the latest. */
  readonly createdAt: Date;
  /** Under which the carrier has other messages that may say the same. */
  readonly idsOfOthers: ReadonlySet<string>;
}

export interface CarrierState {
  readonly status: 'ok' | 'unset' | 'refused' | 'unreachable';
  readonly message: string;
}

export interface Carrier<Message extends Text | Mail> {
  readonly name: string;
  /** Nothing leaves the database: the message and its outcome are one commit, and there is never a doubt. */
  readonly isLocal: boolean;
  send(message: Message): Promise<Outcome>;
  look(message: Doubtful): Promise<Finding>;
  /** Asks without sending. */
  check(): Promise<CarrierState>;
}

export type TextCarrier = Carrier<Text>;
export type MailCarrier = Carrier<Mail>;
