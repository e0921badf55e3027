/** A mail server's or provider's report that an email failed for good. */
export interface BounceReport {
  /** Message-IDs and envelope ids without their domain: one of them may be ours. */
  readonly tokens: readonly string[];
  /** Addresses that the email may have been sent to. */
  readonly addresses: readonly string[];
  readonly code: string | null;
  readonly reason: string | null;
}

/** Reports list a few; more would only cost time. */
const MAX_CANDIDATES = 10;

export const tokensIn = (text: string): string[] =>
  [...text.matchAll(/[^\s<>,;"@]{1,200}/g)].map(([token]) => token).slice(0, MAX_CANDIDATES);

export const addressesIn = (text: string): string[] =>
  [...text.matchAll(/[^\s<>,;:"@]{1,100}@[^\s<>,;:"@]{1,255}/g)].map(([address]) => address).slice(0, MAX_CANDIDATES);

export const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

export type Json = Readonly<Record<string, unknown>>;

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const asObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asObject) : []);

/** Null if the text is no JSON object. */
export function readJson(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

/** The format of this service, for any other provider. Null if a field is missing. */
export function readPlainReport(json: Json): BounceReport | null {
  const [messageId, address, code] = [asText(json.message_id), asText(json.address), asText(json.status)];
  if (messageId === null || address === null || code === null || !/^[45]\.\d{1,3}\.\d{1,3}$/.test(code)) return null;
  const reason = asText(json.reason);
  return { tokens: tokensIn(messageId), addresses: addressesIn(address), code, reason };
}
