import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { redactLinks } from '../../intros/links/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { isSame } from '../../platform/seal.ts';
import { signatureHeaders, standardSignature } from '../../platform/standard-webhooks.ts';
import { currentSpan, traceParentOf } from '../../platform/tracing.ts';
import { asObject, type Json } from '../bounces/reports.ts';
import {
  DELIVERED,
  type Exchange,
  exchange,
  type Headers,
  isRecent,
  type LookupResult,
  type Outcome,
  outcomeOf,
  type ReceivedText,
  type Report,
  type Response,
  type StatusCall,
  type TextCarrier,
} from './carrier.ts';

/** The operator's own carrier, which gets a signed POST for each text (docs/guides/delivery.md). */
export interface HttpCarrierAddress {
  readonly url: string;
  readonly secret: string;
}

const REFUSALS: readonly DeliveryFailureCode[] = [
  'invalid_number',
  'unreachable_number',
  'recipient_opted_out',
  'undelivered',
];

/** Replaces unknown codes with `fallback`. */
function readFailure(given: Json, fallback: DeliveryFailureCode) {
  const code = REFUSALS.find((known) => known === given.code) ?? fallback;
  const reason = typeof given.message === 'string' ? redactLinks(given.message).slice(0, 200) : '';
  return { code, message: reason === '' ? DELIVERY_FAILURES[code] : `${DELIVERY_FAILURES[code]} (${reason})` };
}

/** Null while the delivery is still open. */
function readReport(given: Json): Report | null {
  if (given.status === 'delivered') return DELIVERED;
  return given.status === 'undelivered' ? { status: 'undelivered', ...readFailure(given, 'undelivered') } : null;
}

const ID_MAX_LENGTH = 255;
const isId = (id: unknown): id is string => typeof id === 'string' && id.length <= ID_MAX_LENGTH;

function readAccepted(json: unknown) {
  const given = asObject(json);
  return { kind: 'accepted', carrierId: isId(given.id) ? given.id : null, report: readReport(given) } as const;
}

function readResponse({ status, json, retryAfterS }: Response): Outcome {
  if (status >= 200 && status < 300) return readAccepted(json);
  if (status === 401 || status === 403 || status === 404 || (status >= 300 && status < 400)) {
    return { kind: 'unusable', fault: 'credentials', message: `The carrier at SMS_HTTP_URL responded ${status}.` };
  }
  if (status === 408 || status === 429 || status === 503) {
    return { kind: 'later', message: `The carrier responded ${status}.`, retryAfterS };
  }
  if (status >= 500) return { kind: 'doubt', message: `The carrier responded ${status}.` };
  return { kind: 'refused', ...readFailure(asObject(json), 'carrier_refused') };
}

function readLookup(response: Exchange): LookupResult {
  if (response.kind !== 'response') return { kind: 'later', message: response.message };
  if (response.status === 200) return readAccepted(response.json);
  if (response.status === 404) return { kind: 'absent' };
  // The carrier implements no lookup.
  if (response.status === 405 || response.status === 501) return { kind: 'unsupported' };
  return { kind: 'later', message: `The carrier responded ${response.status} to a lookup.` };
}

export function createHttpCarrier({ url, secret }: HttpCarrierAddress, clock: Clock): TextCarrier {
  const base = url.replace(/\/+$/, '');
  const get = (address: string, id: string) =>
    exchange(address, { method: 'GET', headers: signatureHeaders({ id, payload: '' }, [secret], clock()) });
  return {
    name: 'http',
    async send({ id, to, body: text, statusUrl }) {
      const body = JSON.stringify({ id, to, body: text, status_url: statusUrl });
      const headers = {
        ...signatureHeaders({ id, payload: body }, [secret], clock()),
        'idempotency-key': id,
        'content-type': 'application/json',
        ...traceParentOf(currentSpan()),
      };
      return outcomeOf(await exchange(base, { method: 'POST', headers, body }), readResponse);
    },
    lookUp: async ({ id }) => readLookup(await get(`${base}/${encodeURIComponent(id)}`, id)),
    async check() {
      const response = await get(base, 'check');
      if (response.kind !== 'response') return { status: 'unreachable', message: response.message };
      return response.status === 401 || response.status === 403
        ? { status: 'refused', message: `The carrier at SMS_HTTP_URL responded ${response.status}.` }
        : { status: 'ok', message: 'The carrier at SMS_HTTP_URL responds.' };
    },
  };
}

/** Whether a call of the carrier has the signature of Standard Webhooks. */
export function verifyStandard(secret: string, headers: Headers, body: string, now: Date): boolean {
  const id = headers['webhook-id'];
  const timestampS = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestampS !== 'string' || typeof signatures !== 'string') return false;
  const expected = standardSignature(secret, `${id}.${timestampS}.${body}`);
  return isRecent(timestampS, now) && signatures.split(' ').some((signature) => isSame(signature, expected));
}

export function readHttpStatus(given: Json): StatusCall {
  const { carrierId, report } = readAccepted(given);
  return { carrier: 'http', carrierId, report };
}

/** Null if it is no text. Without an id of its own, `callId` identifies it, so that a replayed call is not applied again. */
export function readHttpText({ from, body, id, media }: Json, callId: string): ReceivedText | null {
  if (typeof from !== 'string' || typeof body !== 'string') return null;
  const reported = { carrier: 'http', id: isId(id) ? id : callId };
  return { from, body, media: typeof media === 'number' ? media : 0, reported };
}
