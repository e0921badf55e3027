interface ErrorEntry {
  readonly status: number;
  /** Only requests of the console get it, and none of the API. */
  readonly isOfConsole?: true;
  /** In one case that the description explains. */
  readonly otherStatus?: number;
  /** Its meaning. */
  readonly description: string;
  /** Advice for the caller. */
  readonly action: string;
  /** An example message. */
  readonly example: string;
}

/** Every error. Adding a code here adds it to the API, the reference, the page /docs/errors and the guide. */
export const ERRORS = {
  malformed_request: {
    status: 400,
    description:
      'The request is not valid HTTP, or has one of these headers twice: `Host`, `Authorization`, `Content-Type`.',
    action: 'Fix the client: the message says what it did not send as valid HTTP.',
    example: 'This is not a valid HTTP request.',
  },
  unauthorized: {
    status: 401,
    description: 'The key is missing, malformed, revoked or expired, or does not work from this IP address.',
    action:
      'Check that the request has `Authorization: Bearer <key>` with the complete key; the message says what is wrong with it. ' +
      'If the key was revoked or has expired, get another one: repeating the request changes nothing.',
    example: 'This key was revoked or never existed. Create another one and send it as "Authorization: Bearer <key>".',
  },
  forbidden: {
    status: 403,
    description: 'The scope of the key, or the role of the signed-in member, does not allow this. Nothing was stored.',
    action: 'Use a key with the scope in the message, or ask an owner to change this one.',
    example: 'This key has the scope "read", and this operation needs the scope "full". An owner can change it.',
  },
  not_found: {
    status: 404,
    description: 'No such object in this organization and environment, or no such path.',
    action: 'Check the id and the path. Objects of other organizations are not found either.',
    example: 'No intro with the id int_01kahzv8e1f0rtx5m2q6n9d3bw in this organization and environment.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The path does not support this method; `Allow` lists those it supports.',
    action: 'Fix the client: use a method that `Allow` lists.',
    example: 'DELETE is not supported here. Use GET.',
  },
  request_timeout: {
    status: 408,
    description: 'The full request did not arrive in time.',
    action: 'Retry with the same Idempotency-Key.',
    example: 'The full request did not arrive in time. Retry with the same Idempotency-Key.',
  },
  idempotency_conflict: {
    status: 409,
    description: 'The Idempotency-Key was already used for a different request.',
    action:
      'Check how you build the key: `object_id` is the object that it belongs to. Two moments need two keys, and a key always ' +
      'needs the same body.',
    example:
      'This Idempotency-Key was already used for a different request. It belongs to evt_01kahzv8e1f0rtx5m2q6n9d3bw, created at ' +
      '2025-11-21T01:18:19.585Z. Build each key from the data of its own request.',
  },
  edit_conflict: {
    status: 409,
    isOfConsole: true,
    description: 'Another user changed the object in the console in the meantime; nothing was overwritten.',
    action: 'In the console: review the other version, then save again.',
    example: 'Another user changed this touchpoint while you were editing. Review their version first.',
  },
  last_owner: {
    status: 409,
    description: 'The organization would have no active owner left.',
    action: 'In the console: make another member an owner first.',
    example: 'This is the last active owner. Make another member an owner first.',
  },
  passkey_refused: {
    status: 422,
    isOfConsole: true,
    description: 'The passkey was not accepted, or it cannot be added or removed now.',
    action: 'In the console: try again, or use another passkey.',
    example: 'This passkey was not accepted. Try again, or use another one.',
  },
  member_active: {
    status: 409,
    isOfConsole: true,
    description: 'The member is active, so their pages show their videos.',
    action: 'In the console: deactivate the member first.',
    example: 'Deactivate the member first: the pages of active members show their videos.',
  },
  intro_not_ready: {
    status: 409,
    description: 'The intro cannot be marked as sent yet, or Foreword delivers it.',
    action:
      'Retrieve the intro. If `delivery.responsibility` is `integration`, retry once its `status` is `ready`; otherwise Foreword ' +
      'marks it as sent.',
    example: 'The video is not recorded yet. Mark the intro as sent once its status is ready.',
  },
  intro_not_sent: {
    status: 409,
    description: 'The intro is not sent yet.',
    action: 'Retry once its `status` is `sent`. To withdraw it before that, cancel it: its links stop working.',
    example: 'This intro is not sent yet. Cancel it instead.',
  },
  intro_closed: {
    status: 409,
    description: 'The intro was cancelled, has expired, or was already sent.',
    action:
      'Retrieve the intro: its `status` is final. To replace it, create a new one with another `Idempotency-Key`.',
    example: 'This intro was cancelled. Create a new one.',
  },
  intro_recorded: {
    status: 409,
    isOfConsole: true,
    description: 'The video of the intro is already recorded or is being processed.',
    action: 'In the console: reload the intro.',
    example: 'The video of this intro is already recorded.',
  },
  recording_not_failed: {
    status: 409,
    description: 'The last take of the intro did not fail, or it is no longer stored.',
    action: 'Retrieve the timeline of the intro: there is no failed take to process.',
    example: 'The last take of this intro did not fail. Check its timeline.',
  },
  too_soon: {
    status: 409,
    description: 'The same action was taken a short time ago.',
    action: 'Try again after the time in the message.',
    example: 'The member was reminded less than an hour ago. Try again after 2:30 PM.',
  },
  delivery_refused: {
    status: 409,
    description: 'Foreword cannot send this intro to its recipient.',
    action: 'Send the link yourself, if the recipient agrees.',
    example: 'The recipient has opted out of text messages.',
  },
  event_not_failed: {
    status: 409,
    description: 'The event did not fail, or is already waiting to be processed.',
    action: 'Retrieve the event: there is nothing to retry.',
    example: 'This event did not fail. Check its current status.',
  },
  recipient_opted_out: {
    status: 422,
    description: 'The recipient opted out by text, so only they can allow texts again.',
    action: 'Ask the recipient to reply START to one of the texts. Nothing else allows texts to them again.',
    example: 'The recipient opted out by text. Only they can allow texts again, by replying START.',
  },
  test_number_required: {
    status: 409,
    description: 'The operation is possible only for test numbers, `+1500555…`.',
    action: 'Use a test number, or have the recipient reply START.',
    example: 'Only the recipient can opt in again, with a START reply. Use a test number, such as +15005550100.',
  },
  test_clock_refused: {
    status: 409,
    description: 'The organization has open intros for real people, whose deadlines the test clock would change.',
    action: 'Use an organization for tests only, or cancel these intros first.',
    example:
      'This organization has 3 open intros for real phone numbers. Cancel them, or use an organization for tests.',
  },
  link_domain_exists: {
    status: 409,
    description: 'The organization already has this link domain.',
    action: 'List the link domains, and check this one with `POST /v1/link-domains/{id}/check`.',
    example: 'The organization already has the link domain go.acme.example.',
  },
  link_domain_limit: {
    status: 409,
    description: 'The organization has reached its limit of link domains.',
    action: 'Remove a domain that you no longer use.',
    example: 'An organization has at most 5 link domains. Remove one first.',
  },
  webhook_endpoint_inactive: {
    status: 409,
    description: 'The webhook endpoint is turned off.',
    action:
      'Turn it on with `POST /v1/webhook_endpoints/{id}` and `{"active": true}`, then retry with the same Idempotency-Key.',
    example: 'This endpoint is turned off. Set active to true first.',
  },
  webhook_endpoint_limit: {
    status: 409,
    description: 'The organization has reached its limit of webhook endpoints.',
    action: 'Delete an endpoint that you no longer use.',
    example: 'An organization has at most 20 webhook endpoints. Delete one first.',
  },
  api_key_limit: {
    status: 409,
    isOfConsole: true,
    description: 'The organization has reached its limit of active API keys.',
    action: 'In the console: revoke a key that you no longer use.',
    example: 'This organization has 50 active API keys, which is the limit. Revoke one first.',
  },
  payload_too_large: {
    status: 413,
    description: 'The body exceeds the limit of the operation: 64 KiB, or 20 MB for a video.',
    action: 'Fix the client: send a smaller body. Put ids instead of documents into `metadata`.',
    example: 'The body is larger than 64 KiB.',
  },
  uri_too_long: {
    status: 414,
    description: 'The address of the request, with its query, is longer than 16 KiB.',
    action: 'Fix the client: send fewer or shorter parameters.',
    example: 'The address of the request is too long. Send fewer or shorter parameters.',
  },
  unsupported_media_type: {
    status: 415,
    description:
      'The content type is not JSON, or not a supported video type where a video is accepted; or the body is compressed.',
    action: 'Fix the client: send the content type in the message, without `Content-Encoding`.',
    example: 'Send the body as JSON, with "Content-Type: application/json".',
  },
  validation_failed: {
    status: 422,
    description: 'A field is missing, malformed or unknown. `field` names it, and the message starts with it.',
    action: 'Correct every field in `problems`, then retry with the same Idempotency-Key.',
    example: 'recipient.phone must be a mobile number in E.164 form, such as +14155550123.',
  },
  touchpoint_not_found: {
    status: 422,
    description: 'No touchpoint has this slug, or it is turned off.',
    action:
      'Check the slug against `GET /v1/touchpoints`, or have the team turn the touchpoint on, then retry with the same ' +
      'Idempotency-Key.',
    example: 'No active touchpoint has the slug "new_apointment". GET /v1/touchpoints lists them.',
  },
  member_not_found: {
    status: 422,
    description: 'No active member matches.',
    action:
      'Check the member against `GET /v1/members`: it must exist and be active. Then retry with the same Idempotency-Key.',
    example: 'No active member has the external_id "rep_99". GET /v1/members lists them.',
  },
  member_ambiguous: {
    status: 422,
    description: 'More than one active member has this email address.',
    action: 'Send `member.id` or `member.external_id` instead, with the same Idempotency-Key.',
    example: 'More than one active member has this email address. Send member.id or member.external_id instead.',
  },
  rate_limited: {
    status: 429,
    description:
      'Too many requests with this key, with all keys of its organization, or with unknown keys from this address.',
    action: 'Wait `Retry-After` seconds, then retry with the same Idempotency-Key.',
    example: 'Too many requests with this key. Wait 1 second, then retry with the same Idempotency-Key.',
  },
  headers_too_large: {
    status: 431,
    description: 'The headers of the request are larger than 16 KiB together.',
    action: 'Fix the client: send fewer or shorter headers.',
    example: 'The headers of the request are too large. Send fewer or shorter headers.',
  },
  internal_error: {
    status: 500,
    description: 'An error on our side.',
    action: 'Retry with the same Idempotency-Key. If it happens again, report the `Request-Id`.',
    example:
      'Something went wrong on our side. Retry with the same Idempotency-Key, or contact us with the Request-Id.',
  },
  storage_full: {
    status: 503,
    otherStatus: 507,
    description:
      'No space is left for videos and pictures. Nothing was stored. With the status 507: the organization has reached its daily ' +
      'limit for uploads.',
    action:
      'Wait `Retry-After` seconds, then retry with the same Idempotency-Key. The administrator has to make space.',
    example: 'No space is left for videos and pictures. Try again later, or ask your administrator to make space.',
  },
  service_unavailable: {
    status: 503,
    description: 'The service is temporarily unavailable.',
    action: 'Wait `Retry-After` seconds, then retry with the same Idempotency-Key.',
    example: 'The service is temporarily unavailable. Retry in a second with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** Why an accepted event can fail later; returned in its `error`. */
export const EVENT_FAILURES = {
  touchpoint_not_found: 'The touchpoint was turned off before the event was processed.',
  member_not_found: 'The member was deactivated before the event was processed.',
  template_invalid: "The touchpoint's script or title could not be rendered.",
  recipient_opted_out: 'The recipient has opted out of text messages, and this touchpoint sends one.',
  recipient_erased: 'The recipient was erased before the event was processed.',
  processing_failed: 'The event could not be processed; the server log has the reason.',
} as const;

export type EventFailureCode = keyof typeof EVENT_FAILURES;

/** Why a take is rejected; `detail.code` of the step `recording_refused`. */
export const RECORDING_FAILURES = {
  not_a_video: 'The file is not a video.',
  too_long: 'The video is too long.',
  too_large: 'The picture is larger than 4K.',
  no_picture: 'The file has sound but no picture.',
  too_complex: 'The file is more complex than a video of its length should be.',
  too_demanding: 'The video takes too long to process.',
  broken: 'The video is damaged or too short.',
  processing_failed: 'The service could not process the video.',
} as const;
export type RecordingFailureCode = keyof typeof RECORDING_FAILURES;

/** Why the service could not deliver an intro; returned in its `delivery.error`. */
export const DELIVERY_FAILURES = {
  no_text_provider: 'Not sent: no text provider is connected.',
  no_email_provider: 'Not sent: no email provider is connected.',
  recipient_opted_out: 'The recipient has opted out of text messages.',
  appointment_over: 'The appointment starts before the recipient may be texted, or had started when it was reported.',
  recently_texted:
    'This number got another text for this touchpoint in the last 24 hours, and the appointment starts before they have passed.',
  country_not_allowed:
    'Not sent: this organization does not text numbers in this country. An owner can allow the country in the console.',
  test_recording:
    'Not sent: the video is a test recording, and this organization does not text test recordings to real numbers.',
  test_clock: 'Not sent: the test clock of this organization is ahead, so nothing leaves the service.',
  invalid_number: 'According to the carrier, this mobile number does not exist.',
  unreachable_number: 'According to the carrier, this number cannot receive text messages. It may be a landline.',
  carrier_refused: 'The carrier rejected the message.',
  message_filtered: 'The carrier or a mobile network blocked the message as unwanted.',
  undelivered: 'The carrier accepted the message but could not deliver it.',
  carrier_unavailable: 'The carrier was unavailable for all attempts.',
  carrier_account:
    'The account with the carrier could not send the text, for example because its number is not registered. The recipient is not at fault.',
  unknown_outcome:
    'It is unknown whether the carrier accepted the message. It was not sent again, to avoid a duplicate.',
} as const;

export type DeliveryFailureCode = keyof typeof DELIVERY_FAILURES;

/** Why the service could not ask the member to record; returned in `notification_error`. */
export const NOTIFICATION_FAILURES = {
  ...DELIVERY_FAILURES,
  email_bounces: "Not sent: emails to the member's address bounce. Correct the address, or text the member.",
} as const;

/** Why a text to the recipient is not sent yet; returned in `delivery.reason` while the text is scheduled. */
export const DELIVERY_DELAYS = {
  quiet_hours: 'Recipients are texted only during the day, when the law of their state allows it.',
  recent_text: 'This number got another text for this touchpoint in the last 24 hours.',
  opt_out_question:
    'The recipient may have asked for no more texts. The text waits for their answer, at most 24 hours.',
  daily_limit: 'A daily limit for texts is reached; the text waits until the next day.',
  texts_paused:
    'The texts of this organization are paused because of unusual activity, until an owner resumes them; this is checked again then.',
  carrier_unavailable: 'The carrier did not accept the text yet; it is retried.',
  carrier_account:
    'The account with the carrier cannot send texts. The text waits, and is sent once the account works.',
  unknown_outcome: 'It is unknown whether the carrier accepted the text; the carrier is being queried.',
} as const;

export type DeliveryDelayCode = keyof typeof DELIVERY_DELAYS;

/** A problem of one field, with a message that starts with the field. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** The body of every error response. */
export interface ErrorBody {
  error: { code: string; message: string; field?: string; problems?: readonly FieldProblem[]; object_id?: string };
}
