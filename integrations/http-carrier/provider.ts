/** A text as Foreword sends it. */
export interface Text {
  readonly id: string;
  readonly to: string;
  readonly body: string;
}

/** The provider's answer for a text. Only `later` and `unusable` mean that it certainly does not have it. */
export type Result =
  | { readonly kind: 'sent'; readonly providerId: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'later'; readonly retryAfterS: number }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'unknown' };

/** A provider's report about a text. Without a status, the provider has the text and the outcome is not known yet. */
export interface Report {
  readonly providerId: string;
  readonly status?: 'delivered' | 'undelivered';
  readonly code?: string;
  readonly message?: string;
}

export interface Reply {
  /** The provider's id. The same text has the same id when the provider repeats it. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/** A call of the provider, with the URL that it called. */
export interface Call {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** To use another provider, write these five functions. */
export interface Provider {
  send(text: Text, statusUrl: string): Promise<Result>;
  isSigned(call: Call): boolean;
  readReport(call: Call): Report;
  readReply(call: Call): Reply;
  /** The response to a reply of a recipient. Null: there is no answer. */
  answer(reply: Reply, text: string | null): { readonly type: string; readonly body: string };
}
