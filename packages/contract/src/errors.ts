/** The one table of errors: code → status, meaning and an example message. Adding a code here is adding it everywhere. */
export const ERRORS = {
  malformed_request: {
    status: 400,
    says: 'What arrived is not an HTTP request that can be read.',
    example: 'This is not an HTTP request that can be read.',
  },
  unauthorized: {
    status: 401,
    says: 'The key is missing, malformed or revoked.',
    example: 'This key was revoked or never existed. Create another one and send it as "Authorization: Bearer <key>".',
  },
  forbidden: {
    status: 403,
    says: 'Who is signed in to the console may not do this.',
    example: 'Only owners may do this. Ask one of yours.',
  },
  not_found: {
    status: 404,
    says: 'No such object in this organization and environment, or no such path.',
    example: 'No intro with the id int_01kahzv8e1f0rtx5m2q6n9d3bw in this organization and environment.',
  },
  method_not_allowed: {
    status: 405,
    says: 'The path exists, but not with this method; `Allow` lists those it takes.',
    example: 'DELETE is not possible here. Use GET.',
  },
  request_timeout: {
    status: 408,
    says: 'The request did not arrive in full in time.',
    example: 'The request did not arrive in full in time. Send it again with the same Idempotency-Key.',
  },
  idempotency_conflict: {
    status: 409,
    says: 'The Idempotency-Key was already used for something else.',
    example:
      'This Idempotency-Key was already used with a different request. Use a key built from the facts of this moment.',
  },
  edit_conflict: {
    status: 409,
    says: 'Somebody else changed it in the console meanwhile; nothing was overwritten.',
    example: 'Somebody else changed this touchpoint while you were editing. Look at their version first.',
  },
  last_owner: {
    status: 409,
    says: 'The organization would be left without an active owner.',
    example: 'This is the last active owner. Make somebody else an owner first.',
  },
  member_active: {
    status: 409,
    says: 'The member works here: their pages show their videos.',
    example: 'Deactivate the member first: the pages of somebody who works here show their videos.',
  },
  intro_not_ready: {
    status: 409,
    says: 'The intro cannot be marked as sent yet, or is delivered by the service.',
    example: 'The video is not recorded yet. Mark the intro as sent once its status is ready.',
  },
  intro_closed: {
    status: 409,
    says: 'The intro was cancelled or has expired.',
    example: 'This intro was cancelled. Create another one.',
  },
  intro_recorded: {
    status: 409,
    says: 'The video of the intro is recorded already, or is being processed.',
    example: 'The video of this intro is recorded already.',
  },
  too_soon: {
    status: 409,
    says: 'The same was done a moment ago.',
    example: 'The member was reminded less than an hour ago. Try again after 2:30 PM.',
  },
  delivery_refused: {
    status: 409,
    says: 'The service cannot bring this intro to its recipient.',
    example: 'The recipient has opted out of text messages.',
  },
  event_not_failed: {
    status: 409,
    says: 'The event did not fail, or is being tried again already.',
    example: 'This event did not fail. Look at what became of it.',
  },
  webhook_endpoint_inactive: {
    status: 409,
    says: 'The webhook endpoint is turned off.',
    example: 'This endpoint is turned off. Set active to true first.',
  },
  webhook_endpoint_limit: {
    status: 409,
    says: 'The organization has as many webhook endpoints as it may have.',
    example: 'An organization has at most 20 webhook endpoints. Delete one first.',
  },
  payload_too_large: {
    status: 413,
    says: 'The body is larger than the operation takes: 64 KiB, or 20 MB of video.',
    example: 'The body is larger than 64 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    says: 'The body is not declared as JSON, or as a video where one is taken.',
    example: 'Send the body as JSON, with "Content-Type: application/json".',
  },
  validation_failed: {
    status: 422,
    says: 'A field is missing, malformed or unknown. `field` names it and the message begins with it.',
    example: 'recipient.phone must be a mobile number in E.164 form, such as +14155550123.',
  },
  touchpoint_not_found: {
    status: 422,
    says: 'No touchpoint has that slug, or it is turned off.',
    example: 'No active touchpoint has the slug "new_apointment". GET /v1/touchpoints lists them.',
  },
  member_not_found: {
    status: 422,
    says: 'No active member matches.',
    example: 'No active member has the external_id "rep_99". GET /v1/members lists them.',
  },
  member_ambiguous: {
    status: 422,
    says: 'More than one active member has that e-mail address.',
    example: 'More than one active member has this e-mail address. Send member.id or member.external_id instead.',
  },
  rate_limited: {
    status: 429,
    says: 'Too many requests: wait the seconds in `Retry-After`, then send again with the same Idempotency-Key.',
    example: 'Too many requests. Wait 1 second, then send it again with the same Idempotency-Key.',
  },
  internal_error: {
    status: 500,
    says: 'A fault on our side. Send again with the same Idempotency-Key.',
    example:
      'Something went wrong on our side. Send it again with the same Idempotency-Key, or tell us the Request-Id.',
  },
  service_unavailable: {
    status: 503,
    says: 'The service cannot answer right now. Send again with the same Idempotency-Key after `Retry-After` seconds.',
    example: 'The service cannot answer right now. Send it again in a second, with the same Idempotency-Key.',
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Reasons for which an accepted event can fail later; they stand in the event's own `error`. */
export const EVENT_FAILURES = {
  touchpoint_not_found: 'The touchpoint was turned off before the event was processed.',
  member_not_found: 'The member was deactivated before the event was processed.',
  template_invalid: "The touchpoint's script or title could not be rendered.",
  recipient_opted_out: 'The recipient has opted out of text messages, and the service would have to send one.',
  processing_failed: 'The event could not be processed; the reason is in the log of the service.',
} as const;

export type EventFailureCode = keyof typeof EVENT_FAILURES;

/** Why the service could not deliver an intro; they stand in its `delivery.error`. */
export const DELIVERY_FAILURES = {
  recipient_opted_out: 'The recipient has opted out of text messages.',
  appointment_over: 'The appointment would have begun before the recipient may be texted.',
  recently_texted:
    'Another text of this touchpoint went to this number in the last 24 hours, and the appointment begins before they are over.',
  invalid_number: 'The carrier says that there is no such mobile number.',
  unreachable_number: 'The carrier says that this number cannot get text messages, as a landline cannot.',
  carrier_refused: 'The carrier refused the message.',
  undelivered: 'The carrier took the message and could not deliver it.',
  carrier_unavailable: 'The carrier could not be used, however often it was tried.',
  unknown_outcome:
    'Whether the carrier took the message could not be found out. It was not sent again, so that nobody gets it twice.',
} as const;

export type DeliveryFailureCode = keyof typeof DELIVERY_FAILURES;
