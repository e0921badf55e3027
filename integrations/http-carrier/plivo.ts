import { hmacSha256, isSameSecret } from '../bridge/index.ts';
import type { Call, Provider, Result, Text } from './provider.ts';

// Plivo's message API: https://www.plivo.com/docs/messaging/api/message and, for its calls,
// https://www.plivo.com/docs/messaging/concepts/signature-validation (version 2)

export interface PlivoAccount {
  readonly authId: string;
  readonly authToken: string;
  readonly from: string;
  readonly apiUrl: string;
}

const LIMIT_MS = 12_000;
const RETRY_AFTER_S = 30;
/** Errors before a connection exists, so that no part of the request was sent. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** https://www.plivo.com/docs/messaging/troubleshooting/error-codes */
const CODES: Readonly<Record<string, string>> = {
  50: 'invalid_number',
  70: 'unreachable_number',
  200: 'recipient_opted_out',
};

const plus = (number: string): string => (number.startsWith('+') ? number : `+${number}`);
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function readResponse(status: number, json: unknown): Result {
  const { message_uuid: uuids, error } = (json ?? {}) as { message_uuid?: unknown; error?: unknown };
  const message = typeof error === 'string' ? error.slice(0, 200) : '';
  if (status >= 200 && status < 300) {
    const [uuid] = Array.isArray(uuids) ? (uuids as unknown[]) : [];
    return typeof uuid === 'string' ? { kind: 'sent', providerId: uuid } : { kind: 'unknown' };
  }
  if (status === 429) return { kind: 'later', retryAfterS: RETRY_AFTER_S };
  if ([401, 402, 403, 404].includes(status)) return { kind: 'unusable', message: `Plivo responded ${status}` };
  return status === 400 ? { kind: 'refused', code: 'carrier_refused', message } : { kind: 'unknown' };
}

export function createPlivo({ authId, authToken, from, apiUrl }: PlivoAccount): Provider {
  const authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
  const fields = ({ body }: Call) => new URLSearchParams(body);
  return {
    async send({ to, body }: Text, statusUrl) {
      try {
        const response = await fetch(`${apiUrl}/v1/Account/${encodeURIComponent(authId)}/Message/`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ src: from, dst: to, text: body, url: statusUrl, method: 'POST' }),
          signal: AbortSignal.timeout(LIMIT_MS),
        });
        return readResponse(response.status, await response.json().catch(() => null));
      } catch (error) {
        const code = (error as { cause?: { code?: string } }).cause?.code ?? '';
        return NOT_CONNECTED.includes(code) ? { kind: 'later', retryAfterS: RETRY_AFTER_S } : { kind: 'unknown' };
      }
    },
    isSigned({ url, headers }) {
      const [signature, nonce] = [headers['x-plivo-signature-v2'], headers['x-plivo-signature-v2-nonce']];
      if (typeof signature !== 'string' || typeof nonce !== 'string') return false;
      const [address = ''] = url.split('?');
      return isSameSecret(signature, hmacSha256(authToken, address + nonce, 'base64'));
    },
    readReport(call) {
      const given = fields(call);
      const providerId = given.get('MessageUUID') ?? '';
      const status = given.get('Status') ?? '';
      if (status === 'delivered') return { providerId, status };
      if (!['undelivered', 'failed', 'rejected'].includes(status)) return { providerId };
      const error = given.get('ErrorCode') ?? '';
      return { providerId, status: 'undelivered', code: CODES[error] ?? 'undelivered', message: `Plivo ${error}` };
    },
    readReply(call) {
      const given = fields(call);
      const [from, to] = [given.get('From') ?? '', given.get('To') ?? ''];
      const id = given.get('MessageUUID') ?? '';
      return { id, from: plus(from), to: plus(to), body: given.get('Text') ?? '' };
    },
    answer({ from, to }, text) {
      const message = text === null ? '' : `<Message src="${to}" dst="${from}">${escapeXml(text)}</Message>`;
      return { type: 'application/xml', body: `<?xml version="1.0" encoding="UTF-8"?><Response>${message}</Response>` };
    },
  };
}
