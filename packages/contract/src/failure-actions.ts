import type { DeliveryDelayCode, DeliveryFailureCode, EventFailureCode } from './errors.ts';

/** Advice for each reason why an event failed. */
export const EVENT_FAILURE_ACTIONS: Record<EventFailureCode, string> = {
  touchpoint_not_found: 'Turn the touchpoint on again, then retry the event in the console.',
  member_not_found: 'Report the event again for another member, with a key that has one more part.',
  template_invalid: 'Fix the script or the title of the touchpoint, then retry the event in the console.',
  recipient_opted_out: 'Nothing: the recipient does not want to be texted.',
  processing_failed: 'Ask your administrator to look up the event in the log, then retry it in the console.',
};

/** Advice for each reason why an intro was not delivered. */
export const DELIVERY_FAILURE_ACTIONS: Record<DeliveryFailureCode, string> = {
  no_text_provider: 'Send `delivery.recipient_url` yourself. Your administrator can connect a text provider.',
  no_email_provider: 'Ask your administrator to connect an email provider.',
  recipient_opted_out: 'Nothing: the recipient does not want to be texted.',
  appointment_over: 'Send `delivery.recipient_url` yourself if it is still useful.',
  recently_texted: 'Send `delivery.recipient_url` yourself if it is still useful.',
  country_not_allowed: 'Ask an owner to allow the country, or send `delivery.recipient_url` yourself.',
  test_recording: 'Use a test number (`+1500555…`), or ask an owner to allow texts of test recordings.',
  test_clock: 'Use a test number (`+1500555…`), or reset the test clock.',
  invalid_number: 'Correct the number in your system, and create a new intro.',
  unreachable_number: 'Ask the recipient for a mobile number, and create a new intro.',
  carrier_refused: 'Send `delivery.recipient_url` yourself. Your administrator finds the reason in the log.',
  undelivered: 'Send `delivery.recipient_url` yourself.',
  carrier_unavailable: 'Send `delivery.recipient_url` yourself.',
  unknown_outcome: 'Ask the recipient whether the text arrived before you send the link yourself.',
};

/** Advice for each reason why a text is not sent yet. */
export const DELIVERY_DELAY_ACTIONS: Record<DeliveryDelayCode, string> = {
  quiet_hours: 'Wait: it is sent at `delivery.scheduled_for`.',
  recent_text: 'Wait: it is sent at `delivery.scheduled_for`.',
  daily_limit: 'Wait, or ask an owner to raise the limit.',
  texts_paused: 'Ask an owner to resume texts in the console.',
  carrier_unavailable: 'Wait: it is retried.',
  unknown_outcome: 'Wait: the carrier is being queried.',
};
