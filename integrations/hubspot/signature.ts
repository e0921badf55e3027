import { type CrmRequest, hmacSha256, isSameSecret, RequestError } from '../bridge/index.ts';

const MOST_AGE_MS = 5 * 60_000;

/** The characters that HubSpot decodes in the URI before it signs: `:/?@!$'()*,;`. */
const DECODED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/**
 * Throws unless `X-HubSpot-Signature-v3` is the HMAC-SHA256 of method, URI, body and timestamp, and the timestamp is at most five
 * minutes old:
 * https://developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation
 */
export function verifySignature({ url, headers, rawBody }: CrmRequest, clientSecret: string, now: number): void {
  const timestamp = headers['x-hubspot-request-timestamp'] ?? '';
  const age = /^\d{1,16}$/.test(timestamp) ? now - Number(timestamp) : Number.NaN;
  if (!(Math.abs(age) <= MOST_AGE_MS)) throw new RequestError(401, 'X-HubSpot-Request-Timestamp is missing or too old');
  const uri = url.replace(DECODED, decodeURIComponent);
  const expected = hmacSha256(clientSecret, `POST${uri}${rawBody}${timestamp}`, 'base64');
  if (!isSameSecret(headers['x-hubspot-signature-v3'], expected))
    throw new RequestError(401, 'X-HubSpot-Signature-v3 is not valid: check HUBSPOT_CLIENT_SECRET and PUBLIC_URL');
}
