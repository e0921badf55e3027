import type { EventContext, MemberSelector } from './foreword.ts';

// The interface between a recipe and the bridge. A recipe knows one CRM; the bridge does everything else: it serves HTTP,
// sends events, cancels intros of moved appointments, verifies Foreword's webhooks, and decides about retries.

/** A record of the CRM. Type and id become `reference.type` and `reference.id`. */
export interface RecordReference {
  readonly type: string;
  readonly id: string;
}

/** A request of the CRM, before anything in it is trusted. */
export interface CrmRequest {
  /** The address that the CRM called, with path and query, below PUBLIC_URL if that is set. Some CRMs sign it. */
  readonly url: string;
  /** The path after `/crm/`, decoded; empty for `/crm`. */
  readonly pathSecret: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
}

/** A moment that a touchpoint stands for. The bridge sends it as an event. */
export interface Moment {
  readonly kind: 'moment';
  readonly record: RecordReference;
  /** The slug from the recipe's mapping. */
  readonly touchpoint: string;
  /** From the record or the webhook, never the current time: a repeat must be the same request. With an offset or Z. */
  readonly occurredAt: string;
  /** Tells apart the moments in which one record reaches the touchpoint again, such as the trade. An appointment's start is added by the bridge. */
  readonly part?: string;
  /** In order of preference. The next one is tried when no member matches. */
  readonly members: readonly MemberSelector[];
  readonly recipient: {
    readonly firstName: string | undefined;
    readonly lastName?: string | undefined;
    /** As the CRM stores them, in order of preference: the mobile number first. */
    readonly phones: readonly (string | undefined)[];
  };
  readonly context?: EventContext;
  readonly metadata?: Record<string, string | number | boolean>;
}

/** The record's appointment was cancelled: the bridge cancels its intros that were not sent. */
export interface Cancellation {
  readonly kind: 'cancellation';
  readonly record: RecordReference;
  /** Limits it to these touchpoints. All of the record's by default. */
  readonly touchpoints?: readonly string[];
}

/** Nothing to do, such as a status that is not in the mapping. The reason is logged. */
export interface Ignored {
  readonly kind: 'ignored';
  readonly record: RecordReference;
  readonly reason: string;
}

export type Change = Moment | Cancellation | Ignored;

/** A page that is ready, to be written to the CRM. */
export interface ReadyPage {
  readonly record: RecordReference;
  readonly url: string;
  readonly introId: string;
  readonly touchpoint: string | null;
  readonly memberName: string;
}

/**
 * One CRM. `Notice` is one entry of a webhook, with just enough to find its record.
 *
 * The bridge answers the CRM 2xx only after Foreword has accepted every event of the webhook. A process that is killed before has
 * not answered, so the CRM sends the webhook again. All methods may therefore run more than once for the same notice.
 */
export interface Recipe<Notice> {
  /** The `reference.source` and the first part of each idempotency key. Changing it makes old records new. */
  readonly source: string;
  /** The slugs of the mapping. The start warns about those that the organization does not have. */
  readonly touchpoints: readonly string[];
  /** After this time the CRM gets a 503 and may send the webhook again. Below the CRM's own time limit. */
  readonly answerWithinMs: number;
  /** The answer that the CRM expects. A 200 with `{"ok":true}` by default. */
  readonly acknowledgement?: { readonly contentType: string; readonly body: string };
  /** Verifies the request and splits it into notices. Throws `RequestError` with 400 or 401. Calls no API. */
  receive(request: CrmRequest): readonly Notice[];
  /** Notices with the same result are processed one after another, for example `job:42`. */
  recordOf(notice: Notice): string;
  /** Names a notice that the CRM repeats unchanged, such as by its event's id: what was processed since the start is not read again. */
  identify?(notice: Notice): string;
  /** Fetches the record if the webhook is thin, and decides what to do. */
  read(notice: Notice): Promise<readonly Change[]>;
  /** Writes the link to the record. Checks first whether the record already has it, if the CRM's API can tell. */
  writeLink(page: ReadyPage): Promise<void>;
  /** Tells the CRM's users why no intro was requested. Not called if absent; a repeat must not add a second note. */
  writeNote?(record: RecordReference, text: string): Promise<void>;
}

/** The answer to a request that is not processed. */
export class RequestError extends Error {
  readonly status: number;
  constructor(status: 400 | 401 | 404 | 405 | 413, message: string) {
    super(message);
    this.status = status;
  }
}
