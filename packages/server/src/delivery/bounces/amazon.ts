import {
  addressesIn,
  asObject,
  asObjects,
  asText,
  type BounceReport,
  type Json,
  readJson,
  tokensIn,
} from './report.ts';

/** Amazon SES reports bounces through SNS, which first asks to confirm the subscription. */

export type AmazonCall =
  | { readonly kind: 'confirm'; readonly url: string }
  | { readonly kind: 'reports'; readonly reports: readonly BounceReport[] };

const SNS_HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?$/;

/** Only pages of SNS are opened, so that a caller cannot use this service to open others. */
function readSubscribeUrl(text: string | null): string | null {
  const url = text === null ? null : URL.parse(text);
  const isSns = url?.protocol === 'https:' && SNS_HOST.test(url.hostname) && url.port === '' && url.username === '';
  return isSns ? url.href : null;
}

/** SES calls bounces that are no fault of the address "Transient" or "Undetermined". */
const PERMANENT = 'Permanent';

function readNotification(notification: Json): BounceReport[] {
  const bounce = asObject(notification.bounce);
  const type = asText(notification.notificationType) ?? asText(notification.eventType);
  if (type !== 'Bounce') return [];
  const mail = asObject(notification.mail);
  // SES replaces the Message-ID; the original one is among the headers.
  const ids = asObjects(mail.headers)
    .filter(({ name }) => asText(name)?.toLowerCase() === 'message-id')
    .map(({ value }) => value);
  const tokens = [...ids, asObject(mail.commonHeaders).messageId].flatMap((id) => tokensIn(asText(id) ?? ''));
  const isPermanent = bounce.bounceType === PERMANENT;
  return asObjects(bounce.bouncedRecipients).map(({ emailAddress, status, diagnosticCode }) => {
    const code = asText(status);
    return {
      tokens,
      addresses: addressesIn(asText(emailAddress) ?? ''),
      // Addresses on the suppression list of SES have no code, or that of a policy.
      code: isPermanent ? '5.1.1' : code !== null && code !== '5.1.1' ? code : '5.2.0',
      reason: asText(diagnosticCode),
    };
  });
}

/** Null if the call is not from SNS. */
export function readAmazonCall(json: Json): AmazonCall | null {
  const type = asText(json.Type);
  if (type === 'SubscriptionConfirmation') {
    const url = readSubscribeUrl(asText(json.SubscribeURL));
    return url === null ? null : { kind: 'confirm', url };
  }
  if (type !== 'Notification') return null;
  const notification = readJson(asText(json.Message) ?? '');
  return { kind: 'reports', reports: notification === null ? [] : readNotification(notification) };
}
