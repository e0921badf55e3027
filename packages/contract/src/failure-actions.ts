import type { DeliveryDelayCode, DeliveryFailureCode, EventFailureCode, RecordingFailureCode } from './errors.ts';

/** Advice for each reason why an event failed. */
export const EVENT_FAILURE_ACTIONS: Record<EventFailureCode, string> = {
  touchpoint_not_found: 'Turn the touchpoint on again, then retry the event.',
  member_not_found:
    'Reactivate the member and retry the event, or report it again for another member with another Idempotency-Key.',
  template_invalid: 'Fix the script or the title of the touchpoint, then retry the event.',
  recipient_opted_out: 'Nothing: the recipient does not want to be texted.',
  recipient_erased: 'Nothing: the recipient was erased.',
  processing_failed: 'Ask your administrator to look up the event in the log, then retry it.',
};

/** Advice for each reason why an intro was not delivered. */
export const DELIVERY_FAILURE_ACTIONS: Record<DeliveryFailureCode, string> = {
  no_text_provider: 'Send `delivery.recipient_url` yourself. Your administrator can connect a text provider.',
  no_email_provider: 'Ask your administrator to connect an email provider.',
  recipient_opted_out: 'Nothing: the recipient does not want to be texted.',
  appointment_over:
    'If it is still useful, the member or the team can send it anyway, or you send `delivery.recipient_url` yourself.',
  recently_texted: 'Send `delivery.recipient_url` yourself if it is still useful.',
  country_not_allowed: 'Ask an owner to allow the country, or send `delivery.recipient_url` yourself.',
  test_recording: 'Use a test number (`+1500555…`), or ask an owner to allow texts of test recordings.',
  test_clock: 'Use a test number (`+1500555…`), or reset the test clock.',
  invalid_number: 'Correct the number (`POST /v1/intros/{id}/correct_phone`): the video is then texted there.',
  unreachable_number:
    'Ask the recipient for a mobile number, and correct it (`POST /v1/intros/{id}/correct_phone`): the video is then texted there.',
  carrier_refused:
    'Read the reason in `delivery.error.message`. Fix it and send the text again in the console, or send `delivery.recipient_url` yourself.',
  message_filtered:
    'Send `delivery.recipient_url` yourself. Ask an owner to check the registration of the sender and the wording of the text.',
  undelivered: 'Send `delivery.recipient_url` yourself.',
  carrier_unavailable: 'Send the text again in the console, or send `delivery.recipient_url` yourself.',
  carrier_account:
    'Ask an owner to fix the account, as the console says. If the text was sent before, it is then sent again automatically; send `delivery.recipient_url` yourself if that is too late.',
  unknown_outcome: 'Ask the recipient whether the text arrived before you send the link yourself.',
};

/** Advice for each reason why a text is not sent yet. */
export const DELIVERY_DELAY_ACTIONS: Record<DeliveryDelayCode, string> = {
  quiet_hours: 'Wait: it is sent at `delivery.scheduled_for`.',
  recent_text: 'Wait: it is sent at `delivery.scheduled_for`.',
  opt_out_question: 'Wait for the answer of the recipient, or call them.',
  daily_limit: 'Wait: it is sent on the next day. Your administrator can raise the limit.',
  texts_paused: 'Ask an owner to resume texts in the console.',
  carrier_unavailable: 'Wait: Foreword retries automatically.',
  carrier_account: 'Ask an owner to fix the account, as the console says. The text is then sent automatically.',
  unknown_outcome: 'Wait: Foreword is asking the carrier.',
};

/** Advice for each reason why a take was rejected. The intro stays `requested`, and the member sees the reason. */
export const RECORDING_FAILURE_ACTIONS: Record<RecordingFailureCode, string> = {
  not_a_video: 'Ask the member to record again.',
  too_long: 'Ask the member to record a shorter video.',
  too_large: 'Ask the member to record again, with a resolution of 4K at most.',
  no_picture: 'Ask the member to allow the camera and record again.',
  too_complex: 'Ask the member to record again, in the recorder instead of another app.',
  too_demanding: 'Ask the member to record a shorter video, or one with a lower resolution.',
  broken: 'Ask the member to record again.',
  processing_failed:
    'Process the take again (`POST /v1/intros/{id}/retry_recording`), or ask the member to record again.',
};

/** Advice for each reason why Foreword turned a webhook endpoint off. */
export const WEBHOOK_DISABLED_ACTIONS: Record<'gone' | 'failing', string> = {
  gone: 'The URL responded with 410. If it should receive webhooks, fix the receiver, set `active` to true, then replay the messages that failed.',
  failing:
    'Fix the receiver, note `failing_since`, set `active` to true, then replay the failed messages since two days before that time.',
};
