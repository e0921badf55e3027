// Generated from openapi.json by `npm run gen`. Do not edit.

/** One page of a list. */
export interface Page<T> {
  readonly object: 'list';
  readonly data: T[];
  /** True when more objects follow. */
  readonly has_more: boolean;
}

export interface PageParams {
  /** Page size. */
  limit?: number | undefined;
  /** The last id of the previous page. Iterating sets it for you. */
  starting_after?: string | undefined;
}

/** Distinguishes a retry from a new request: use the same key for every attempt of one request, and a new key for every other. Build it from your data, as `<source>:<record_id>:<touchpoint_slug>` and, for an appointment, `:` and its start in UTC to the minute. Never use random values or the current time. */
export type IdempotencyKey = string;

/** A business event. */
export interface CreateTouchpointEvent {
  /** Slug of one of the organization's touchpoints, listed by `GET /v1/touchpoints`. */
  touchpoint: string;
  /** When the event happened in your system: ISO 8601 with an offset or `Z`. Seconds are optional. */
  occurred_at: string;
  member: MemberSelector;
  recipient: Recipient;
  reference?: Reference | null | undefined;
  context?: TouchpointEventContext | null | undefined;
  metadata?: Metadata | null | undefined;
}

/** The member who records: exactly one of `id`, `external_id`, `email`. */
export type MemberSelector = MemberById | MemberByExternalId | MemberByEmail;

export interface MemberById {
  /** The member's id, listed by `GET /v1/members`. */
  id: string;
  external_id?: '' | null | undefined;
  email?: '' | null | undefined;
}

export interface MemberByExternalId {
  /** Your own id, stored on the member. */
  external_id: string;
  id?: '' | null | undefined;
  email?: '' | null | undefined;
}

export interface MemberByEmail {
  /** An email address; matching ignores case. */
  email: string;
  id?: '' | null | undefined;
  external_id?: '' | null | undefined;
}

/** The person whom the intro is for. */
export interface Recipient {
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name?: string | null | undefined;
  /** Mobile number in E.164 format. */
  phone: string;
  language?: Language | '' | null | undefined;
}

/** `en`: English. `es`: Spanish. The language of the page, the texts and the script. */
export type Language = 'en' | 'es';

/** The record in your own system; returned with the intro and the event. */
export interface Reference {
  /** System that the record is in. */
  source?: string | null | undefined;
  /** Kind of record, such as appointment, job, deal or contact. */
  type?: string | null | undefined;
  /** Identifier in that system. */
  id?: string | null | undefined;
}

/** Details of the event. A touchpoint with context `appointment` requires `appointment`. */
export interface TouchpointEventContext {
  appointment?: Appointment | null | undefined;
  trade?: Trade | '' | null | undefined;
  lane?: Lane | '' | null | undefined;
}

/** A meeting with a date and time. */
export interface Appointment {
  /** When it starts: ISO 8601. Without an offset, the time is local to `timezone`. Seconds are optional. */
  starts_at: string;
  /** IANA time zone. */
  timezone: string;
}

/** The trade that the event concerns. */
export type Trade = 'roofing' | 'siding' | 'windows' | 'doors' | 'gutters';

/** The lane that the event belongs to. */
export type Lane = 'retail' | 'insurance';

/** Your own key/value pairs: at most 20, with keys of 1 to 40 letters, digits, `_`, `.` or `-`; values are text of up to 500 characters, numbers or booleans. Stored and returned as sent, never interpreted; numbers keep 15 significant digits. */
export type Metadata = Record<string, string | number | boolean>;

/** The receipt for a touchpoint event: `accepted`, or `duplicate` when the key was already used. */
export interface AcceptedTouchpointEvent {
  /** Identifier of the event. */
  id: string;
  object: 'touchpoint_event';
  status: EventStatus;
  /** The slug you sent. */
  touchpoint: string;
  /** As sent; null when not sent. */
  reference: StoredReference | null;
  metadata: Metadata;
  /** When the event happened in your system: the time you sent, in UTC. */
  occurred_at: string;
  /** Only the test environment exists. */
  environment: 'test';
  /** When the event was accepted. */
  created_at: string;
}

/** Status of the event. */
export type EventStatus = 'accepted' | 'duplicate' | 'processed' | 'failed';

/** The record in your own system, as you sent it. */
export interface StoredReference {
  /** System that the record is in. */
  source: string | null;
  /** Kind of record. */
  type: string | null;
  /** Identifier in that system. */
  id: string | null;
}

/** The body of every error response. */
export interface ApiError {
  error: ApiErrorDetails;
}

/** The error. */
export interface ApiErrorDetails {
  code: ErrorCode;
  /** An explanation for people, with the next step. */
  message: string;
  /** The field with the first problem, as a dotted path. With `validation_failed`, `member_not_found`, `member_ambiguous` and `touchpoint_not_found`. */
  field?: string | undefined;
  /** With `validation_failed`: every problem, in the documented order of the fields. */
  problems?: FieldProblem[] | undefined;
  /** With `idempotency_conflict`: the object that the key belongs to. */
  object_id?: string | undefined;
}

/** A stable code for programs. New codes may be added. */
export type ErrorCode = 'malformed_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'idempotency_conflict' | 'last_owner' | 'intro_not_ready' | 'intro_not_sent' | 'intro_closed' | 'recording_not_failed' | 'too_soon' | 'delivery_refused' | 'event_not_failed' | 'recipient_opted_out' | 'test_number_required' | 'test_clock_refused' | 'link_domain_exists' | 'link_domain_limit' | 'webhook_endpoint_inactive' | 'webhook_endpoint_limit' | 'payload_too_large' | 'uri_too_long' | 'unsupported_media_type' | 'validation_failed' | 'touchpoint_not_found' | 'member_not_found' | 'member_ambiguous' | 'rate_limited' | 'headers_too_large' | 'internal_error' | 'storage_full' | 'service_unavailable' | (string & Record<never, never>);

/** A problem of one field. */
export interface FieldProblem {
  /** The field, as a dotted path. */
  field: string;
  /** An explanation for people. It starts with the field. */
  message: string;
}

export type TouchpointEventList = Page<TouchpointEvent>;

/** A business event that your system reported. */
export interface TouchpointEvent extends AcceptedTouchpointEvent {
  resolved: ResolvedObjects;
  /** Null until the event is processed. */
  intro: string | null;
  error?: TouchpointEventError | undefined;
}

/** The objects that the event was matched to. */
export interface ResolvedObjects {
  touchpoint: ResolvedTouchpoint;
  member: ResolvedMember;
}

/** The touchpoint that the event was matched to. */
export interface ResolvedTouchpoint {
  /** Slug. */
  slug: string;
  /** Its name at the time of the match. */
  name: string;
}

/** The member that the event was matched to. */
export interface ResolvedMember {
  /** The member. */
  id: string;
  /** Your own id of the member. */
  external_id: string | null;
}

/** Present when status is `failed`. */
export interface TouchpointEventError {
  code: TouchpointEventErrorCode;
  /** The reason as readable text. */
  message: string;
}

/** A stable code. New codes may be added. */
export type TouchpointEventErrorCode = 'touchpoint_not_found' | 'member_not_found' | 'template_invalid' | 'recipient_opted_out' | 'recipient_erased' | 'processing_failed' | (string & Record<never, never>);

/** No fields. The body can also be omitted. */
export type EmptyBody = Record<string, never>;

/** The result that an event would have now. */
export interface DryRun {
  object: 'dry_run';
  /** The status that the event would get. */
  status: 'processed' | 'failed';
  touchpoint: ResolvedTouchpoint;
  member: IntroMember;
  /** The intro that the event would create; null when status is `failed`. */
  intro: DryRunIntro | null;
  /** Why processing the event would fail; null when status is `processed`. */
  error: TouchpointEventError | null;
  /** Only the test environment exists. */
  environment: 'test';
}

/** The member who records. */
export interface IntroMember {
  /** Identifier of the member. */
  id: string;
  /** Your own id, stored on the member. */
  external_id: string | null;
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string;
}

/** The intro that the event would create. */
export interface DryRunIntro {
  recipient: IntroRecipient;
  /** As sent; null when not sent. */
  reference: StoredReference | null;
  /** The appointment or other subject of the page and the script; null when not sent. */
  context: IntroContext | null;
  instructions: DryRunInstructions;
  /** True when the recipient has opted out of text messages. Foreword sends none; neither should you. */
  recipient_opted_out: boolean;
  delivery: DryRunDelivery;
  metadata: Metadata;
  /** When it would expire if it were created now. */
  expires_at: string;
}

/** The person whom the intro is for. */
export interface IntroRecipient {
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string | null;
  /** Mobile number in E.164 format. */
  phone: string;
  language: RecipientLanguage;
}

/** The language of the page and of the texts: as sent, or the organization's language when the intro was created. */
export type RecipientLanguage = 'en' | 'es' | (string & Record<never, never>);

/** The appointment or other subject of the page and the script. */
export interface IntroContext {
  /** The line above the video. */
  title: string | null;
  /** The appointment that the intro is about. */
  appointment: StoredAppointment | null;
  /** As sent with the event. */
  trade: Trade | null;
  /** As sent with the event. */
  lane: Lane | null;
}

/** A meeting with a date and time. */
export interface StoredAppointment {
  /** When the appointment starts, in UTC. */
  starts_at: string;
  /** IANA time zone. */
  timezone: string;
}

/** The words for the member to say. */
export interface DryRunInstructions {
  /** The rendered script. */
  script: string;
  script_language: ScriptLanguage;
  /** Number of words in the script. */
  words: number;
  /** How long the member needs to read it, estimated from their own pace if it is known. About 15 is ideal. */
  seconds: number;
}

/** The language of the script. It differs from the recipient's if the touchpoint has no script in that language. */
export type ScriptLanguage = 'en' | 'es' | (string & Record<never, never>);

/** Who would send the link. */
export interface DryRunDelivery {
  responsibility: Responsibility;
}

/** `integration`: Foreword prepares the intro and your system delivers the link. `service`: Foreword sends it. */
export type Responsibility = 'integration' | 'service';

/** The intro: member, recipient, context, script and delivery. */
export interface CreateIntro {
  member: MemberSelector;
  recipient: Recipient;
  reference?: Reference | null | undefined;
  context?: CreateIntroContext | null | undefined;
  instructions?: CreateIntroInstructions | null | undefined;
  delivery?: CreateIntroDelivery | null | undefined;
  metadata?: Metadata | null | undefined;
}

/** The content of the page. */
export interface CreateIntroContext {
  /** The line above the video. */
  title?: string | null | undefined;
  appointment?: Appointment | null | undefined;
}

/** The words for the member to say. */
export interface CreateIntroInstructions {
  /** The text that the member reads while recording. 37 words take about 15 seconds. Tabs become spaces. */
  script?: string | null | undefined;
}

/** Who sends the link to the recipient. Default: `integration`. */
export interface CreateIntroDelivery {
  responsibility?: Responsibility | '' | null | undefined;
}

/** One short personal video, requested from one member for one recipient. */
export interface Intro {
  /** Identifier of the intro. */
  id: string;
  object: 'intro';
  status: IntroStatus;
  /** Slug of the touchpoint whose event created the intro; null when it was created directly. */
  touchpoint: string | null;
  member: IntroMember;
  recipient: IntroRecipient;
  /** As sent; null when not sent. */
  reference: StoredReference | null;
  /** The appointment or other subject of the page and the script; null when not sent. */
  context: IntroContext | null;
  /** The words for the member to say; null when not sent. */
  instructions: IntroInstructions | null;
  /** True when the recipient has opted out of text messages. Foreword sends none; neither should you. */
  recipient_opted_out: boolean;
  delivery: IntroDelivery;
  /** For messages that you send: set while the intro is `ready` or `sent` and its page shows the video. The pictures open without signing in, and stop working together with the page. Loading them does not count as opening. */
  media: IntroMedia | null;
  /** What the recipient tapped on the page, each type once, oldest first. */
  clicks: IntroClick[];
  /** The last reply of the recipient; null when there is none. The timeline has all. */
  reply: IntroReply | null;
  /** Set while the intro is `requested` and its member has declined to record it: reassign it or cancel it. Null again once it is reassigned or recorded. */
  declined: IntroDecline | null;
  /** When the first message that asks the current member to record was sent. Null before, if none could be sent, and after retention has removed the messages. */
  member_notified_at: string | null;
  /** Why no message reached the current member; null if one did, if one is pending, or while no provider is connected. */
  notification_error: NotificationError | null;
  metadata: Metadata;
  /** Only the test environment exists. */
  environment: 'test';
  /** Increases with each change, so that copies can be ordered. */
  version: number;
  /** When the intro was created. */
  created_at: string;
  /** When it expires if it is not sent before; null once it can no longer expire. */
  expires_at: string | null;
  /** When the video was recorded. */
  recorded_at: string | null;
  /** When the link was sent to the recipient. */
  sent_at: string | null;
  /** When a person first opened the page. */
  opened_at: string | null;
  /** When the video was first watched to the end. */
  watched_at: string | null;
  /** How far the video was watched: 0, 25, 50, 75 or 100. */
  watched_percent: number;
  /** When it was cancelled. */
  cancelled_at: string | null;
  /** When the page of the sent intro was taken down. */
  taken_down_at: string | null;
  /** When its member withdrew consent, which deleted the video. */
  likeness_withdrawn_at: string | null;
  /** When the recipient was erased: the first name is `Erased`, and the number empty. */
  erased_at: string | null;
}

/** Status of the intro. */
export type IntroStatus = 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';

/** The words for the member to say. */
export interface IntroInstructions {
  /** The rendered script. */
  script: string | null;
  script_language: ScriptLanguage;
}

/** Who sends the link to the recipient, and the link. */
export interface IntroDelivery {
  responsibility: Responsibility;
  /** The recipient's page; null until the video is recorded. */
  recipient_url: string | null;
  /** What became of the link; null before there is one and while it waits. `delivered` changes no `version`. */
  status: DeliveryStatus | null;
  /** Set while the intro is `ready` and Foreword has yet to send its text; otherwise null. */
  scheduled_for: string | null;
  /** Why an intro that Foreword delivers is not sent. While it is `requested`, or the recipient can still undo it: `recipient_opted_out`. While the text is scheduled: `quiet_hours`: Recipients are texted only during the day, when the law of their state allows it. `recent_text`: This number got another text for this touchpoint in the last 24 hours. `opt_out_question`: The recipient may have asked for no more texts. The text waits for their answer, at most 24 hours. `daily_limit`: A daily limit for texts is reached; the text waits until the next day. `texts_paused`: The texts of this organization are paused because of unusual activity, until an owner resumes them; this is checked again then. `carrier_unavailable`: The carrier did not accept the text yet; it is retried. `carrier_account`: The account with the carrier cannot send texts. The text waits, and is sent once the account works. `unknown_outcome`: It is unknown whether the carrier accepted the text; the carrier is being queried. If it is not sent: the code of `error`, such as `no_text_provider`. Null when there is no reason to wait. */
  reason: UnsentReason | null;
  /** Why Foreword could not deliver the intro; null when there is no error. */
  error: DeliveryError | null;
}

/** `sent`: the link was sent. `delivered`: the carrier delivered the text. `not_delivered`: it could not. `simulated`: the text to a test number was not sent. `not_sent`: the video is recorded, but its text was not sent; `error` says why. New statuses may be added. */
export type DeliveryStatus = 'sent' | 'delivered' | 'not_delivered' | 'simulated' | 'not_sent' | (string & Record<never, never>);

/** A stable code. New codes may be added. */
export type UnsentReason = 'quiet_hours' | 'recent_text' | 'opt_out_question' | 'daily_limit' | 'texts_paused' | 'carrier_unavailable' | 'carrier_account' | 'unknown_outcome' | 'no_text_provider' | 'no_email_provider' | 'recipient_opted_out' | 'appointment_over' | 'recently_texted' | 'country_not_allowed' | 'test_recording' | 'test_clock' | 'invalid_number' | 'unreachable_number' | 'carrier_refused' | 'message_filtered' | 'undelivered' | (string & Record<never, never>);

/** Why an intro could not be delivered. */
export interface DeliveryError {
  code: DeliveryErrorCode;
  /** The same as readable text. */
  message: string;
}

/** A stable code. New codes may be added. */
export type DeliveryErrorCode = 'no_text_provider' | 'no_email_provider' | 'recipient_opted_out' | 'appointment_over' | 'recently_texted' | 'country_not_allowed' | 'test_recording' | 'test_clock' | 'invalid_number' | 'unreachable_number' | 'carrier_refused' | 'message_filtered' | 'undelivered' | 'carrier_unavailable' | 'carrier_account' | 'unknown_outcome' | (string & Record<never, never>);

/** The video of an intro, for messages that you send. */
export interface IntroMedia {
  /** The page with the video; the same as `delivery.recipient_url`. */
  page_url: string;
  /** A still picture of the video, as JPEG. */
  poster_url: string;
  /** A moving picture of a few seconds without sound, as animated WebP. Until it is made, some seconds after the intro is `ready`, the address returns the poster. */
  preview_url: string;
  /** Length of the video. */
  duration_seconds: number;
  /** A sentence for your message, with the link to the page at its end. */
  share_text: string;
}

/** Something that the recipient tapped on the page. */
export interface IntroClick {
  type: IntroClickType;
  /** When it was tapped for the first time. */
  clicked_at: string;
}

/** `action`: the touchpoint's button. `call`, `text`: a phone number. `calendar`: the appointment. `contact`: the contact card. New types may be added. */
export type IntroClickType = 'action' | 'call' | 'text' | 'calendar' | 'contact' | (string & Record<never, never>);

/** The reply that the recipient sent from the page, or to the text. */
export interface IntroReply {
  type: IntroReplyType;
  /** The words on the button that the recipient tapped, as worded by the organization's team. For a `message`: Text message. */
  label: string;
  /** The text of a `question` or a `message`; null for other replies. */
  message: string | null;
  /** For `reschedule`: when it would suit the recipient, if they said so. */
  note: string | null;
  channel: IntroReplyChannel;
  /** When the recipient replied. */
  replied_at: string;
  /** When the team marked it as done, or answered it by text. */
  settled_at: string | null;
}

/** `confirm`: the recipient confirms the appointment. `reschedule`: they need another time. `thanks`: they thank the member, for a video without an appointment. `question`: they have a question. `message`: they replied to the text. New types may be added. */
export type IntroReplyType = 'confirm' | 'reschedule' | 'thanks' | 'question' | 'message' | (string & Record<never, never>);

/** `page`: the recipient replied on the page. `text`: they replied to the text. New channels may be added. */
export type IntroReplyChannel = 'page' | 'text' | (string & Record<never, never>);

/** The member declined to record the intro. */
export interface IntroDecline {
  reason: IntroDeclineReason;
  /** The member's own words; null when there are none. */
  message: string | null;
  /** When the member declined. */
  declined_at: string;
}

/** `not_meeting`: the member is not meeting the recipient. `away`: the member is away. `details_wrong`: something about the intro is wrong. `other`: `message` says why, unless the member declined with a text that says no more. New reasons may be added. */
export type IntroDeclineReason = 'not_meeting' | 'away' | 'details_wrong' | 'other' | (string & Record<never, never>);

/** Why no message reached the member. */
export interface NotificationError {
  code: NotificationErrorCode;
  /** The same as readable text. */
  message: string;
}

/** A stable code. New codes may be added. */
export type NotificationErrorCode = 'no_text_provider' | 'no_email_provider' | 'recipient_opted_out' | 'appointment_over' | 'recently_texted' | 'country_not_allowed' | 'test_recording' | 'test_clock' | 'invalid_number' | 'unreachable_number' | 'carrier_refused' | 'message_filtered' | 'undelivered' | 'carrier_unavailable' | 'carrier_account' | 'unknown_outcome' | 'email_bounces' | (string & Record<never, never>);

export type IntroList = Page<Intro>;

/** The recipient's right number. */
export interface CorrectPhone {
  /** Mobile number in E.164 format. */
  phone: string;
}

/** How long the link works. The body can also be omitted. */
export interface CreateRecordingLink {
  /** After how many seconds the link expires. */
  expires_in?: number | null | undefined;
}

/** A short-lived form of the member's link. */
export interface RecordingLink {
  object: 'recording_link';
  /** Opens the recorder without a sign-in. Show it only to the member. */
  url: string;
  /** When the link expires. An upload that has started by then can finish. */
  expires_at: string;
}

export type TimelineStepList = Page<TimelineStep>;

/** One step in the life of an intro. */
export interface TimelineStep {
  /** When it happened. */
  at: string;
  type: TimelineStepType;
  cause: TimelineCause;
  /** Further details; null when there are none. */
  detail: Record<string, string | number> | null;
}

/** `asked`: The intro was created. `detail.event` is the touchpoint event that created it. `member_told`: The member was notified by `detail.channel`. `member_reminded`: The member was reminded by `detail.channel`. `member_not_told`: A message to the member could not be sent or delivered; `detail.code` is the reason. `declined`: The member `detail.member` declined to record it: `detail.reason` is the reason, and `detail.message` their own words. With `detail.channel` `text`, they replied to the text. `reassigned`: The intro was reassigned from the member `detail.from` to the member `detail.to`, with the API key `detail.key` or by the member `detail.member`; without either, by the operator. With `detail.channel` `text`, the member replied to the text. `opened_by_member`: The member opened the recorder. `recorded`: A take was uploaded. `recording_refused`: A take was rejected; `detail.code` is the reason. `processed`: The video is ready to watch. `queued`: The text is delayed until `detail.until` because of `detail.reason`: `quiet_hours`, `recent_text`, `opt_out_question`, `daily_limit`, `texts_paused` or `carrier_account`. With quiet hours, `detail.state` is the US state whose law sets them, if one does. `sent`: The link was sent to the recipient. For test numbers, `detail.carrier` is `simulated`. `not_sent`: The text could not be sent; `detail.code` is the reason. `delivered`: The carrier delivered the text. `undelivered`: The carrier could not deliver the text; `detail.code` is the reason. `opened`: A person opened the page. `watched`: The video was watched, up to `detail.percent`. `clicked`: The recipient tapped `detail.click` on the page: `action`, `call`, `text`, `calendar` or `contact`. `replied`: The recipient replied: `detail.reply` is the type, `detail.label` the words on the button, and `detail.message` the text of a question or a message. `detail.note` says when another time would suit. With `detail.channel` `text`, they replied to the text. `opted_out`: The recipient opted out of texts: `detail.source` is `text`, `page`, `carrier`, `api`, `team`, `operator` or `import`. `opted_in`: Texts to the recipient are allowed again; `detail.source` is how, as for `opted_out`. `reply_settled`: The member `detail.member` marked the reply as done, or answered it. `reply_forwarded`: The reply was sent to the member by `detail.channel`. `answered`: The member `detail.member` answered the reply with a text: `detail.message`. `answer_sent`: The answer was sent to the recipient. `answer_not_sent`: The answer could not be sent or delivered; `detail.code` is the reason. `phone_corrected`: The recipient's number was corrected with the API key `detail.key` or by the member `detail.member`; without details, by the operator. `cancelled`: The intro was cancelled with the API key `detail.key` or by the member `detail.member`; without details, by the operator. `taken_down`: The page of the sent intro was taken down with the API key `detail.key` or by the member `detail.member`; without details, by the operator. `expired`: The intro expired. */
export type TimelineStepType = 'asked' | 'member_told' | 'member_reminded' | 'member_not_told' | 'declined' | 'reassigned' | 'opened_by_member' | 'recorded' | 'recording_refused' | 'processed' | 'queued' | 'sent' | 'not_sent' | 'delivered' | 'undelivered' | 'opened' | 'watched' | 'clicked' | 'replied' | 'opted_out' | 'opted_in' | 'reply_settled' | 'reply_forwarded' | 'answered' | 'answer_sent' | 'answer_not_sent' | 'phone_corrected' | 'cancelled' | 'taken_down' | 'expired' | (string & Record<never, never>);

/** Who or what caused it. */
export type TimelineCause = 'integration' | 'member' | 'recipient' | 'service' | 'carrier' | (string & Record<never, never>);

/** A decision of the recipient that was received elsewhere. */
export interface ChangeConsent {
  /** Mobile number in E.164 format. */
  phone: string;
  /** Who asked for it, and how. It is stored as evidence. */
  reason?: string | null | undefined;
}

/** A number that is not texted. */
export interface OptOut {
  /** Identifier of the opt-out. */
  id: string;
  object: 'opt_out';
  /** Mobile number in E.164 format. */
  phone: string;
  source: ConsentSource;
  /** The recipient's words, or the reason that was sent; null when there is none. */
  reason: string | null;
  /** When the recipient opted out. */
  opted_out_at: string;
  /** Only the test environment exists. */
  environment: 'test';
}

/** How it was received. `text`: the recipient replied. `page`: the button on the video page. `carrier`: reported by the carrier. `api`: with an API key. `team`: in the console. `operator`: with the command. `import`: from a file. */
export type ConsentSource = 'text' | 'page' | 'carrier' | 'api' | 'team' | 'operator' | 'import' | (string & Record<never, never>);

/** A recipient who may be texted. */
export interface RecipientConsent {
  object: 'recipient';
  /** Mobile number in E.164 format. */
  phone: string;
  /** Null when the recipient had not opted out. */
  opted_in_at: string | null;
  /** Only the test environment exists. */
  environment: 'test';
}

export type OptOutList = Page<OptOut>;

/** The recipient to erase. */
export interface EraseRecipient {
  /** Mobile number in E.164 format. */
  phone: string;
}

/** The receipt of an erasure. It does not identify the recipient. */
export interface RecipientErasure {
  /** Identifier of the receipt. */
  id: string;
  object: 'recipient_erasure';
  status: ErasureStatus;
  /** The erased intros, newest first; the newest 1000 if there are more. */
  intros: string[];
  removed: ErasureCounts;
  /** True when the recipient had opted out of texts. A keyed hash of the number keeps them opted out. */
  opt_out_kept: boolean;
  /** Only the test environment exists. */
  environment: 'test';
  /** When the request was accepted. */
  created_at: string;
  /** When everything was removed; null before. */
  completed_at: string | null;
}

/** `processing` until everything is removed, usually about half a minute. */
export type ErasureStatus = 'processing' | 'completed' | (string & Record<never, never>);

/** How much was removed so far. New counts may be added. */
export interface ErasureCounts {
  /** Intros for the number. */
  intros: number;
  /** Events that named the recipient. */
  events: number;
  /** Takes whose files were deleted: video, pictures and captions. */
  recordings: number;
  /** Texts and emails about the intros. */
  messages: number;
  /** The recipient's questions, and what members wrote when they declined. */
  replies: number;
  /** Emails to owners and managers that named the recipient. */
  team_emails: number;
  /** Responses that were stored for idempotency keys. */
  stored_responses: number;
  /** Payloads of webhooks. */
  webhooks: number;
  /** Requests in the request log. */
  logged_requests: number;
  /** Entries in the log of the recipient's consent. */
  consents: number;
}

/** How far the video is watched: to the end by default. */
export interface WatchTestIntro {
  /** How much of the video is watched. */
  percent?: 25 | 50 | 75 | 100 | null | undefined;
}

/** The reply to simulate: `confirm` by default. */
export interface ReplyTestIntro {
  /** The button that is tapped. `message` is a reply to the text that sent the link. */
  type?: 'confirm' | 'reschedule' | 'thanks' | 'question' | 'message' | '' | null | undefined;
  /** The text of a `question` or a `message`, which need one, or the note of a `reschedule`. */
  message?: string | null | undefined;
}

/** The step that fails, and why. */
export interface FailTestIntro {
  /** The step that fails. */
  step: 'recording' | 'delivery';
  /** Why it fails. For `recording`: `not_a_video`, `too_long`, `too_large`, `no_picture`, `too_complex`, `too_demanding`, `broken`, `processing_failed`. For `delivery`: `undelivered`, `no_text_provider`, `no_email_provider`, `recipient_opted_out`, `appointment_over`, `recently_texted`, `country_not_allowed`, `test_recording`, `test_clock`, `invalid_number`, `unreachable_number`, `carrier_refused`, `message_filtered`, `carrier_unavailable`, `carrier_account`, `unknown_outcome`. The first one is the default. */
  code?: string | null | undefined;
}

/** The clock of the organization. */
export interface TestClock {
  object: 'test_clock';
  /** `advancing`: what became due is being processed. `ready`: all of it is done. */
  status: 'ready' | 'advancing';
  /** How far the clock is ahead of the real time; 0 without a test clock. */
  offset_seconds: number;
  /** The time on this clock, which keeps running. */
  now: string;
  /** Null without a test clock. */
  advanced_at: string | null;
  /** Only the test environment exists. */
  environment: 'test';
}

/** By how much, or to which time: exactly one of `seconds` and `to`. */
export interface AdvanceTestClock {
  /** By how much. */
  seconds?: number | null | undefined;
  /** To which time: ISO 8601 with an offset or `Z`. */
  to?: string | null | undefined;
}

export type TouchpointList = Page<Touchpoint>;

/** A business event for which the organization requests an intro. The organization's team edits it. */
export interface Touchpoint {
  /** Identifier of the touchpoint. */
  id: string;
  object: 'touchpoint';
  /** Slug of one of the organization's touchpoints, listed by `GET /v1/touchpoints`. */
  slug: string;
  /** Name of the touchpoint. */
  name: string;
  context: TouchpointContext;
  /** False when the organization turned it off; events for it are rejected. */
  active: boolean;
  /** The languages that it has a script in. */
  languages: ScriptLanguage[];
}

/** The kind of event. */
export type TouchpointContext = 'appointment' | 'status' | 'milestone' | 'none';

export type MemberList = Page<Member>;

/** A person in the organization who records intros. */
export interface Member {
  /** Identifier of the member. */
  id: string;
  object: 'member';
  /** Your own id, stored on the member. */
  external_id: string | null;
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string;
  /** Email address. */
  email: string;
  /** Mobile number in E.164 format. */
  phone: string | null;
  /** The job title that recipients see. */
  title: string | null;
  /** The job title on pages in Spanish. Null: they show `title`. */
  title_es: string | null;
  /** Lanes that the member works in; empty means all. */
  lanes: Lane[];
  /** False when the member is deactivated. */
  active: boolean;
  /** When they withdrew consent to be shown. They get no intros. */
  likeness_withdrawn_at: string | null;
  /** Only the test environment exists. */
  environment: 'test';
  /** When the member was added. */
  created_at: string;
}

/** A member to add, or to update if one has this `external_id`. */
export interface CreateMember {
  /** Your own id for the member, unique in the organization. */
  external_id?: string | null | undefined;
  /** First name. */
  first_name: string;
  /** Last name. */
  last_name: string;
  /** An email address; matching ignores case. */
  email: string;
  /** Mobile number in E.164 format. `null` removes it. */
  phone?: string | null | undefined;
  /** The job title that recipients see. `null` removes it. */
  title?: string | null | undefined;
  /** The job title on pages in Spanish. `null` removes it: they show `title`. */
  title_es?: string | null | undefined;
  /** Lanes that the member works in; empty means all. */
  lanes?: Lane[] | null | undefined;
}

/** The fields to change; the others stay as they are. */
export interface UpdateMember {
  /** Your own id for the member. `null` removes it. */
  external_id?: string | null | undefined;
  /** First name. */
  first_name?: string | null | undefined;
  /** Last name. */
  last_name?: string | null | undefined;
  /** An email address; matching ignores case. */
  email?: string | null | undefined;
  /** Mobile number in E.164 format. `null` removes it. */
  phone?: string | null | undefined;
  /** The job title that recipients see. `null` removes it. */
  title?: string | null | undefined;
  /** The job title on pages in Spanish. `null` removes it: they show `title`. */
  title_es?: string | null | undefined;
  /** Lanes that the member works in; empty means all. */
  lanes?: Lane[] | null | undefined;
}

/** The action for the member's open intros. The body can be omitted. */
export interface DeactivateMember {
  /** The action for the member's intros that are not sent. Default: `keep`. */
  open_intros?: 'keep' | 'cancel' | ReassignIntros | undefined;
}

/** Another member records the open intros. */
export interface ReassignIntros {
  /** The active member who records them from now on. Intros that are already recorded are kept. */
  reassign_to: string;
}

/** The host of the organization's links. */
export interface CreateLinkDomain {
  /** The host name, without scheme, port and path. Names with other letters than a–z are stored in their ASCII form (`xn--…`). */
  host: string;
}

/** A domain of the organization for recipients' links. */
export interface LinkDomain {
  /** Identifier of the link domain. */
  id: string;
  object: 'link_domain';
  /** The host name, in lower case and ASCII. */
  host: string;
  state: LinkDomainState;
  /** The host of the service. Create a CNAME record from your host to it, or to your own proxy. */
  points_to: string;
  verification: LinkDomainVerification;
  /** Why the last check failed; null when it succeeded, and before the first one. */
  failure: LinkDomainFailure | null;
  /** When the domain was added. */
  created_at: string;
  /** When it was proven to be yours. */
  verified_at: string | null;
  /** When it became active for the first time. */
  active_at: string | null;
  /** When it started failing; null unless it is `failing`. */
  failing_since: string | null;
  /** When it was last checked. */
  checked_at: string | null;
  /** When it is checked next; null when only on request. */
  next_check_at: string | null;
  /** Only the test environment exists. */
  environment: 'test';
}

/** `pending`: not proven to be yours. `verified`: proven, but requests do not reach this service yet. `active`: new links use it. `failing`: requests no longer reach this service; after 10 minutes, new links use the address of the service. */
export type LinkDomainState = 'pending' | 'verified' | 'active' | 'failing' | (string & Record<never, never>);

/** Two ways to prove that the domain is yours. One of them is enough. */
export interface LinkDomainVerification {
  dns: LinkDomainRecord;
  http: LinkDomainFile;
}

/** A DNS record. */
export interface LinkDomainRecord {
  type: 'TXT';
  /** Name of the record. */
  name: string;
  /** The content that it must have. */
  value: string;
}

/** A file on the domain. */
export interface LinkDomainFile {
  /** Address of the file. */
  url: string;
  /** The content that it must have. */
  value: string;
}

/** Why the last check failed. */
export interface LinkDomainFailure {
  code: LinkDomainFailureCode;
  /** An explanation for people. */
  message: string;
}

/** The kind of problem. New codes may be added. */
export type LinkDomainFailureCode = 'record_missing' | 'taken' | 'name' | 'address' | 'connection' | 'certificate' | 'timeout' | 'wrong_server' | (string & Record<never, never>);

export type LinkDomainList = Page<LinkDomain>;

/** Confirms that a link domain was removed. */
export interface DeletedLinkDomain {
  /** Identifier of the removed link domain. */
  id: string;
  object: 'link_domain';
  deleted: true;
}

/** The URL that receives webhooks, and which ones. */
export interface CreateWebhookEndpoint {
  /** The URL that receives webhooks: `https://…` or `http://…`, without username and password, and not in a private network. */
  url: string;
  /** Your note about the endpoint, such as the system behind it; null when there is none. Empty text is stored as null. */
  description?: string | null | undefined;
  /** The event types that the endpoint receives. Default: `["*"]`. */
  events?: WebhookEventSelector[] | null | undefined;
  /** If false, nothing is sent: pending and new messages become `failed`, and a replay sends them once it is on again. */
  active?: boolean | null | undefined;
}

/** An event type, all types of one object such as `intro.*`, or `*` for all events, including future types. */
export type WebhookEventSelector = '*' | 'intro.*' | 'touchpoint_event.*' | 'recipient.*' | 'intro.requested' | 'intro.reassigned' | 'intro.declined' | 'intro.member_unreachable' | 'intro.ready' | 'intro.sent' | 'intro.opened' | 'intro.watched' | 'intro.clicked' | 'intro.replied' | 'intro.cancelled' | 'intro.taken_down' | 'intro.expired' | 'intro.delivery_failed' | 'touchpoint_event.processed' | 'touchpoint_event.failed' | 'recipient.opted_out' | 'recipient.opted_in' | 'recipient.erased';

/** An endpoint with its current secret. */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** The secret that signs its webhooks. Store it: it is shown only here. */
  secret: string;
}

export type WebhookDisabledReason = 'gone' | 'failing' | (string & Record<never, never>);

export type WebhookEndpointList = Page<WebhookEndpoint>;

/** A URL that receives webhooks. */
export interface WebhookEndpoint {
  /** Identifier of the endpoint. */
  id: string;
  object: 'webhook_endpoint';
  /** The URL that receives webhooks. */
  url: string;
  /** Your note about the endpoint, such as the system behind it; null when there is none. Empty text is stored as null. */
  description: string | null;
  /** The event types that it receives, as you selected them. */
  events: string[];
  /** False when it was turned off, by you or by Foreword. */
  active: boolean;
  /** Why Foreword turned it off: `gone` (it returned 410) or `failing` (every attempt failed for five days). */
  disabled_reason: WebhookDisabledReason | null;
  /** Start of the current series of failures; null after a success. */
  failing_since: string | null;
  /** Only the test environment exists. */
  environment: 'test';
  /** When the endpoint was created. */
  created_at: string;
}

/** Fields to change; omitted fields keep their value. */
export interface UpdateWebhookEndpoint {
  /** The URL that receives webhooks: `https://…` or `http://…`, without username and password, and not in a private network. */
  url?: string | null | undefined;
  /** Your note about the endpoint, such as the system behind it; null when there is none. Empty text is stored as null. */
  description?: string | null | undefined;
  /** The event types that the endpoint receives. Default: `["*"]`. */
  events?: WebhookEventSelector[] | null | undefined;
  /** If false, nothing is sent: pending and new messages become `failed`, and a replay sends them once it is on again. */
  active?: boolean | null | undefined;
}

/** An endpoint that was deleted. */
export interface DeletedWebhookEndpoint {
  /** Identifier of the deleted endpoint. */
  id: string;
  object: 'webhook_endpoint';
  deleted: true;
}

export type WebhookMessageList = Page<WebhookMessage>;

/** A message to an endpoint. Kept for 30 days. */
export interface WebhookMessage {
  /** Identifier of the message: its `webhook-id` in every attempt. */
  id: string;
  object: 'webhook_message';
  /** The endpoint that the message is sent to. */
  endpoint: string;
  /** The type of its event. */
  type: string;
  /** True for a test message, which is sent with the header `webhook-test: true`. */
  test: boolean;
  status: WebhookMessageStatus;
  /** Number of attempts so far. */
  attempts: number;
  /** When the next attempt is due; null unless it is pending. During an attempt: when it counts as lost and is repeated. */
  next_attempt_at: string | null;
  /** The body of the request, byte for byte. The signature covers exactly this text. */
  payload: string;
  /** Only the test environment exists. */
  environment: 'test';
  /** When the message was created. */
  created_at: string;
}

/** `pending`: it will be sent, or sent again. `delivered`: the endpoint confirmed it. `failed`: every attempt failed, or the endpoint was turned off. */
export type WebhookMessageStatus = 'pending' | 'delivered' | 'failed' | (string & Record<never, never>);

export type WebhookAttemptList = Page<WebhookAttempt>;

/** One attempt to send a message to an endpoint. Kept for 30 days. */
export interface WebhookAttempt {
  /** Identifier of the attempt. */
  id: string;
  object: 'webhook_attempt';
  /** The message that was sent. */
  message: string;
  /** The type of its event. */
  type: string;
  /** True when a full 2xx response arrived within 15 seconds. */
  succeeded: boolean;
  /** Status of the response; null when there was none. */
  status: number | null;
  /** The error; null after a success. */
  error: string | null;
  /** Duration in milliseconds. */
  duration_ms: number;
  /** The first KB of the response body; null without a response. */
  answer: string | null;
  /** When the next attempt is due; null when there is none. */
  next_attempt_at: string | null;
  /** Only the test environment exists. */
  environment: 'test';
  /** When the attempt was made. */
  created_at: string;
}

/** The messages to send again: exactly one of `message` and `since`. */
export type ReplayWebhooks = ReplayMessage | ReplayFailedMessages;

export interface ReplayMessage {
  /** One message, whatever its status. */
  message: string;
  since?: '' | null | undefined;
  until?: '' | null | undefined;
}

export interface ReplayFailedMessages {
  /** All messages created since this time that failed or wait for a retry: ISO 8601 with an offset or `Z`. Seconds are optional. */
  since: string;
  /** The end of the period that `since` begins: ISO 8601 with an offset or `Z`. Seconds are optional. */
  until?: string | undefined;
  message?: '' | null | undefined;
}

/** A replay of messages. */
export interface WebhookReplay {
  object: 'webhook_replay';
  /** The endpoint that the messages are sent to. */
  endpoint: string;
  /** Number of messages that are sent again. */
  messages: number;
}

/** The type of message to send. */
export interface TestWebhook {
  /** The type of the test message. Default: `webhook.test`. */
  type?: 'webhook.test' | 'intro.requested' | 'intro.reassigned' | 'intro.declined' | 'intro.member_unreachable' | 'intro.ready' | 'intro.sent' | 'intro.opened' | 'intro.watched' | 'intro.clicked' | 'intro.replied' | 'intro.cancelled' | 'intro.taken_down' | 'intro.expired' | 'intro.delivery_failed' | 'touchpoint_event.processed' | 'touchpoint_event.failed' | 'recipient.opted_out' | 'recipient.opted_in' | 'recipient.erased' | '' | null | undefined;
}

/** A recipient who opted out of text messages. */
export interface OptedOutRecipient {
  object: 'recipient';
  /** Mobile number in E.164 format. */
  phone: string;
  source: ConsentSource;
  /** When the recipient opted out. */
  opted_out_at: string;
}

/** A recipient who allowed text messages again. */
export interface OptedInRecipient {
  object: 'recipient';
  /** Mobile number in E.164 format. */
  phone: string;
  source: ConsentSource;
  /** When texts were allowed again. */
  opted_in_at: string;
}

/** Data of a test event. */
export interface WebhookTest {
  object: 'webhook_test';
  /** The tested endpoint. */
  endpoint: string;
}

export interface ListEventsParams extends PageParams {
  /** Only events with this status. Separate several values with commas, or repeat the parameter. */
  status?: 'accepted' | 'processed' | 'failed' | readonly ('accepted' | 'processed' | 'failed')[] | undefined;
  /** Slug of one of the organization's touchpoints, listed by `GET /v1/touchpoints`. */
  touchpoint?: string | undefined;
  /** The id you sent in `reference.id`. */
  reference_id?: string | undefined;
  /** Only objects created at this time or later: ISO 8601 with an offset or `Z`. Seconds are optional. */
  created_after?: string | undefined;
  /** Only objects created before this time: ISO 8601 with an offset or `Z`. Seconds are optional. */
  created_before?: string | undefined;
}

export interface RetrieveEventParams {
  /** Waits up to this many seconds until the status is no longer `accepted`, then responds with the current state. */
  wait?: number | undefined;
}

export interface ListIntrosParams extends PageParams {
  /** Status of the intro. Separate several values with commas, or repeat the parameter. */
  status?: 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired' | readonly ('requested' | 'ready' | 'sent' | 'cancelled' | 'expired')[] | undefined;
  /** A member id. */
  member?: string | undefined;
  /** The id you sent in `reference.id`. */
  reference_id?: string | undefined;
  /** Slug of one of the organization's touchpoints, listed by `GET /v1/touchpoints`. */
  touchpoint?: string | undefined;
  /** Mobile number in E.164 format. */
  recipient_phone?: string | undefined;
  /** Pairs that the metadata must contain, each as `metadata[key]=value`. Numbers and booleans match as their JSON text. */
  metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Only objects created at this time or later: ISO 8601 with an offset or `Z`. Seconds are optional. */
  created_after?: string | undefined;
  /** Only objects created before this time: ISO 8601 with an offset or `Z`. Seconds are optional. */
  created_before?: string | undefined;
}

export interface RetrieveIntroParams {
  /** Waits up to this many seconds until the intro's `version` is higher than `version`, then responds with the current state. */
  wait?: number | undefined;
  /** With `wait`: the last version that you know. Default: the version when the request arrives. */
  version?: number | undefined;
}

export interface ListOptOutsParams extends PageParams {
  /** Mobile number in E.164 format. */
  phone?: string | undefined;
}

export interface ListMembersParams extends PageParams {
  /** An email address; matching ignores case. */
  email?: string | undefined;
  /** Your own id, stored on the member. */
  external_id?: string | undefined;
  /** Only active or only deactivated members. */
  active?: boolean | undefined;
}

export type ListLinkDomainsParams = PageParams;

export type ListWebhookEndpointsParams = PageParams;

export interface ListWebhookMessagesParams extends PageParams {
  /** Only messages of this type. */
  type?: 'webhook.test' | 'intro.requested' | 'intro.reassigned' | 'intro.declined' | 'intro.member_unreachable' | 'intro.ready' | 'intro.sent' | 'intro.opened' | 'intro.watched' | 'intro.clicked' | 'intro.replied' | 'intro.cancelled' | 'intro.taken_down' | 'intro.expired' | 'intro.delivery_failed' | 'touchpoint_event.processed' | 'touchpoint_event.failed' | 'recipient.opted_out' | 'recipient.opted_in' | 'recipient.erased' | undefined;
  /** Only messages with this status. */
  status?: 'pending' | 'delivered' | 'failed' | undefined;
  /** Only objects created at this time or later: ISO 8601 with an offset or `Z`. Seconds are optional. */
  created_after?: string | undefined;
  /** Only objects created before this time: ISO 8601 with an offset or `Z`. Seconds are optional. */
  created_before?: string | undefined;
}

export interface RetrieveWebhookMessageParams {
  /** The endpoint whose delivery is returned, for a message that was sent to several. Default: the oldest of them. */
  endpoint?: string | undefined;
}

export type ListWebhookAttemptsParams = PageParams;

interface Payload<Type extends string, Data> {
  type: Type;
  /** When it happened. */
  timestamp: string;
  data: Data;
}

export type IntroRequestedPayload = Payload<'intro.requested', Intro>;
export type IntroReassignedPayload = Payload<'intro.reassigned', Intro>;
export type IntroDeclinedPayload = Payload<'intro.declined', Intro>;
export type IntroMemberUnreachablePayload = Payload<'intro.member_unreachable', Intro>;
export type IntroReadyPayload = Payload<'intro.ready', Intro>;
export type IntroSentPayload = Payload<'intro.sent', Intro>;
export type IntroOpenedPayload = Payload<'intro.opened', Intro>;
export type IntroWatchedPayload = Payload<'intro.watched', Intro>;
export type IntroClickedPayload = Payload<'intro.clicked', Intro>;
export type IntroRepliedPayload = Payload<'intro.replied', Intro>;
export type IntroCancelledPayload = Payload<'intro.cancelled', Intro>;
export type IntroTakenDownPayload = Payload<'intro.taken_down', Intro>;
export type IntroExpiredPayload = Payload<'intro.expired', Intro>;
export type IntroDeliveryFailedPayload = Payload<'intro.delivery_failed', Intro>;
export type TouchpointEventProcessedPayload = Payload<'touchpoint_event.processed', TouchpointEvent>;
export type TouchpointEventFailedPayload = Payload<'touchpoint_event.failed', TouchpointEvent>;
export type RecipientOptedOutPayload = Payload<'recipient.opted_out', OptedOutRecipient>;
export type RecipientOptedInPayload = Payload<'recipient.opted_in', OptedInRecipient>;
export type RecipientErasedPayload = Payload<'recipient.erased', RecipientErasure>;
export type WebhookTestPayload = Payload<'webhook.test', WebhookTest>;

/** The content of a webhook, by its `type`. Ignore types that you do not know. */
export type WebhookPayload =
  | IntroRequestedPayload
  | IntroReassignedPayload
  | IntroDeclinedPayload
  | IntroMemberUnreachablePayload
  | IntroReadyPayload
  | IntroSentPayload
  | IntroOpenedPayload
  | IntroWatchedPayload
  | IntroClickedPayload
  | IntroRepliedPayload
  | IntroCancelledPayload
  | IntroTakenDownPayload
  | IntroExpiredPayload
  | IntroDeliveryFailedPayload
  | TouchpointEventProcessedPayload
  | TouchpointEventFailedPayload
  | RecipientOptedOutPayload
  | RecipientOptedInPayload
  | RecipientErasedPayload
  | WebhookTestPayload;
