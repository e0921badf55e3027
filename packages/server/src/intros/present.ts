import {
  type ClickType,
  INTRO_API_FIELDS,
  type Intro,
  iso,
  type Language,
  NOTIFICATION_FAILURES,
  sentence,
  type WebhookEventType,
} from '@foreword/contract';
import type { Tenant } from '../db/tenancy.ts';
import type { AnyTransaction, DomainEvent, Publish, ReadObjects } from '../webhooks/index.ts';
import { type IntroWithMember, readDeliveryStatus } from './fields.ts';
import type { Links } from './links/index.ts';
import { explainUnsent } from './rules.ts';
import { readIntros } from './store.ts';

type Messages = Readonly<Record<string, string>>;
type PageUrl = (introId: string, host: string | null) => string;

/** Where a link belongs that is not filled in. */
const LINK = '';

/** Why a message was not sent or delivered. Erased intros have no message, which may quote the number. */
const presentFailure = (code: string | null, message: string | null) =>
  code === null ? null : { code, message: message ?? (NOTIFICATION_FAILURES as Messages)[code] ?? '' };

/** One column has the recipient's words: their question or message or, if they need another time, a note when. */
export const wordsOfReply = (type: string, words: string | null) =>
  type === 'reschedule' ? { message: null, note: words } : { message: words, note: null };

export function presentReply(
  row: Pick<
    IntroWithMember,
    'reply_type' | 'reply_label' | 'reply_message' | 'reply_by_text' | 'replied_at' | 'reply_settled_at'
  >,
): Intro['reply'] {
  const { reply_type: type, reply_label: label, reply_message: message, replied_at: at } = row;
  if (type === null || label === null || at === null) return null;
  return {
    ...{ type, label, ...wordsOfReply(type, message), channel: row.reply_by_text ? 'text' : 'page' },
    ...{ replied_at: iso(at), settled_at: iso(row.reply_settled_at) },
  };
}

const presentClicks = ({ clicked_times: times }: IntroWithMember): Intro['clicks'] =>
  (Object.entries(times ?? {}) as [ClickType, string][])
    .map(([type, clicked_at]) => ({ type, clicked_at }))
    .sort((one, other) => one.clicked_at.localeCompare(other.clicked_at));

const SHARE_TEXTS: Readonly<Record<Language, (member: string, organization: string) => string>> = {
  en: (member, organization) => sentence`${member} from ${organization} recorded a short video for you: `,
  es: (member, organization) => sentence`${member}, de ${organization}, grabó un breve video para usted: `,
};

function presentDecline(row: IntroWithMember): Intro['declined'] {
  const { decline_reason: reason, decline_message: message, declined_at: at } = row;
  return reason === null || at === null ? null : { reason, message, declined_at: iso(at) };
}

/** For the caller's messages. */
function presentMedia(row: IntroWithMember): Intro['media'] {
  const { organization_name: organization, video_duration_ms: duration, member_first_name: member } = row;
  const isWithdrawn = row.likeness_withdrawn_at !== null || row.member_withdrawn_at !== null;
  const isRemoved = isWithdrawn || row.taken_down_at !== null || row.video_deleted_at !== null;
  const isReplaced = row.pages_replaced_at !== null;
  const isShown = (row.status === 'ready' || row.status === 'sent') && !isRemoved && !isReplaced;
  if (!isShown || organization === null || duration === null) return null;
  return {
    page_url: LINK,
    poster_url: LINK,
    preview_url: LINK,
    duration_seconds: duration / 1000,
    share_text: SHARE_TEXTS[row.recipient_language](member, organization),
  };
}

/** An intro as stored for an Idempotency-Key: its links are empty, because the key of the server derives them again. */
export type StoredIntro = Intro & { readonly link_host?: string | undefined };

/** Fills the link to the page in, and the links that start with it. */
export function withLinks(stored: StoredIntro, pageUrl: PageUrl): Intro {
  const { delivery, media } = stored;
  if (delivery.recipient_url === null) return stored;
  const { link_host: host = null, ...intro } = stored;
  const url = pageUrl(intro.id, host);
  return {
    ...intro,
    delivery: { ...delivery, recipient_url: url },
    media: media && {
      ...media,
      page_url: url,
      poster_url: `${url}/poster.jpg`,
      preview_url: `${url}/preview.webp`,
      share_text: media.share_text + url,
    },
  };
}

/** `pageUrl` builds the recipient link, which is null until there is a video to watch. */
export const presentIntro = (row: IntroWithMember, pageUrl: PageUrl): Intro => withLinks(toStored(row), pageUrl);

type Wire<Value> = Value extends Date ? string : Value;

/** The fields of the API's object that are not a column of the same name. The compiler reports one that is missing. */
const COMPUTED: {
  readonly [Name in keyof Intro as Name extends keyof IntroWithMember
    ? Wire<IntroWithMember[Name]> extends Intro[Name]
      ? never
      : Name
    : Name]: (row: IntroWithMember) => Intro[Name];
} = {
  object: () => 'intro',
  touchpoint: (row) => row.touchpoint_slug,
  member: (row) => ({
    id: row.member_id,
    external_id: row.member_external_id,
    first_name: row.member_first_name,
    last_name: row.member_last_name,
  }),
  recipient: (row) => ({
    first_name: row.recipient_first_name,
    last_name: row.recipient_last_name,
    phone: row.recipient_phone,
    language: row.recipient_language,
  }),
  // Validated against the contract before they were stored.
  reference: (row) => row.reference as Intro['reference'],
  context: (row) => row.context as Intro['context'],
  metadata: (row) => row.metadata as Intro['metadata'],
  instructions: (row) => (row.instructed ? { script: row.script, script_language: row.script_language } : null),
  delivery: (row) => ({
    responsibility: row.responsibility,
    recipient_url: row.recording_id === null ? null : LINK,
    status: readDeliveryStatus(row),
    scheduled_for: iso(row.text_due_at),
    reason: explainUnsent(row),
    error: presentFailure(row.delivery_error_code, row.delivery_error_message),
  }),
  media: presentMedia,
  clicks: presentClicks,
  reply: presentReply,
  declined: presentDecline,
  notification_error: (row) => presentFailure(row.notification_error_code, row.notification_error_message),
};

const wire = (value: unknown): unknown => (value instanceof Date ? iso(value) : value);
const presenters = INTRO_API_FIELDS.map((name): [name: string, present: (row: IntroWithMember) => unknown] => [
  name,
  (COMPUTED as Partial<Record<string, (row: IntroWithMember) => unknown>>)[name] ??
    ((row) => wire(row[name as keyof IntroWithMember])),
]);

export const toStored = (row: IntroWithMember): StoredIntro => ({
  ...(Object.fromEntries(presenters.map(([name, present]) => [name, present(row)])) as Intro),
  ...(row.recording_id !== null && row.link_host !== null && { link_host: row.link_host }),
});

type IntroEventType = Extract<WebhookEventType, `intro.${string}`>;

export interface IntroEvent {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly type: IntroEventType;
  /** The time of the change, if it is not that of the batch. */
  readonly at?: Date | undefined;
}

/** Publishes what changed about intros, in the transaction of the change. */
export interface IntroEvents {
  publish(within: AnyTransaction, events: readonly IntroEvent[], now: Date): Promise<void>;
  /** For publishing an intro event in one batch with other domain events. */
  toDomainEvent(event: IntroEvent): DomainEvent;
  readonly publishAll: Publish;
}

export function createIntroEvents(links: Links, publish: Publish): IntroEvents {
  const read: ReadObjects = async (db, intros) =>
    (await readIntros(db, intros)).map((row) => ({
      organization_id: row.organization_id,
      object: presentIntro(row, links.pageUrl),
    }));
  const toDomainEvent: IntroEvents['toDomainEvent'] = ({ introId: id, ...event }) => ({ ...event, id, read });
  return {
    toDomainEvent,
    publishAll: publish,
    publish: (within, events, now) => publish(within, events.map(toDomainEvent), now),
  };
}
