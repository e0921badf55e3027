import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { redactLinks } from '../../links/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { currentSpan, traceParentOf } from '../../platform/tracing.ts';
import type { CarrierState, LookupResult, Outcome, Report, TextCarrier } from './carrier.ts';
import { type Exchange, exchange } from './exchange.ts';
import { signStandard } from './signatures.ts';

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
function readFailure(given: { code?: unknown; message?: unknown }, fallback: DeliveryFailureCode) {
  const code = REFUSALS.find((known) => known === given.code) ?? fallback;
  const reason = typeof given.message === 'string' ? redactLinks(given.message).slice(0, 200) : '';
  return { code, message: reason === '' ? DELIVERY_FAILURES[code] : `${DELIVERY_FAILURES[code]} (${reason})` };
}

/** Null while the delivery is still open. */
export function readReport(given: { status?: unknown; code?: unknown; message?: unknown }): Report | null {
  if (given.status === 'delivered') return { status: 'delivered', code: null, message: null };
  if (given.status !== 'undelivered') return null;
  return { status: 'undelivered', ...readFailure(given, 'undelivered') };
}

interface Given {
  readonly id?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
}

const readAccepted = (json: unknown) => {
  const given = (typeof json === 'object' && json !== null ? json : {}) as Given;
  const carrierId = typeof given.id === 'string' && given.id.length <= 255 ? given.id : null;
  return { kind: 'accepted', carrierId, report: readReport(given) ?? undefined } as const;
};

function readResponse(response: Exchange): Outcome {
  if (response.kind === 'unsent') return { kind: 'later', message: response.message, isUnreachable: true };
  if (response.kind === 'unanswered') return { kind: 'doubt', message: response.message };
  const { status, json, retryAfterS } = response;
  if (status >= 200 && status < 300) return readAccepted(json);
  if (status === 401 || status === 403 || status === 404 || (status >= 300 && status < 400)) {
    return { kind: 'unusable', fault: 'credentials', message: `The carrier at SMS_HTTP_URL responded ${status}.` };
  }
  if (status === 408 || status === 429 || status === 503) {
    return { kind: 'later', message: `The carrier responded ${status}.`, retryAfterS };
  }
  if (status >= 500) return { kind: 'doubt', message: `The carrier responded ${status}.` };
  return { kind: 'refused', ...readFailure((json ?? {}) as Given, 'carrier_refused') };
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
  return {
    name: 'http',
    async send({ id, to, body, statusUrl }) {
      const content = JSON.stringify({ id, to, body, status_url: statusUrl });
      const signed = signStandard(secret, id, content, clock());
      const span = currentSpan();
      const headers = {
        ...signed,
        'idempotency-key': id,
        'content-type': 'application/json',
        ...(span !== undefined && { traceparent: traceParentOf(span) }),
      };
      return readResponse(await exchange(base, { method: 'POST', headers, body: content }));
    },
    async lookUp({ id }) {
      const headers = signStandard(secret, id, '', clock());
      return readLookup(await exchange(`${base}/${encodeURIComponent(id)}`, { method: 'GET', headers }));
    },
    async check(): Promise<CarrierState> {
      const headers = signStandard(secret, 'check', '', clock());
      const response = await exchange(base, { method: 'GET', headers });
      if (response.kind !== 'response') return { status: 'unreachable', message: response.message };
      const isRefused = response.status === 401 || response.status === 403;
      return isRefused
        ? { status: 'refused', message: `The carrier at SMS_HTTP_URL responded ${response.status}.` }
        : { status: 'ok', message: 'The carrier at SMS_HTTP_URL responds.' };
    },
  };
}
