import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Clock } from '../../platform/clock.ts';
import type { CarrierState, Finding, Outcome, Report, TextCarrier } from './carrier.ts';
import { type Exchange, exchange } from './exchange.ts';
import { signStandard } from './signatures.ts';

/** A carrier of the operator's own: a signed POST for each text, described in docs/guides/delivery.md. */
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

/** The code as it came when it is one that we know, else the one for all others; and the carrier's reason. */
function readFailure(given: { code?: unknown; message?: unknown }, other: DeliveryFailureCode) {
  const code = REFUSALS.find((known) => known === given.code) ?? other;
  const reason = typeof given.message === 'string' ? given.message.slice(0, 200) : '';
  return { code, message: reason === '' ? DELIVERY_FAILURES[code] : `${DELIVERY_FAILURES[code]} (${reason})` };
}

/** Null while the message is still on its way. */
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

function readAnswer(answer: Exchange): Outcome {
  if (answer.kind === 'unsent') return { kind: 'later', message: answer.message };
  if (answer.kind === 'unanswered') return { kind: 'doubt', message: answer.message };
  const { status, json, retryAfterS } = answer;
  if (status >= 200 && status < 300) return readAccepted(json);
  if (status === 401 || status === 403 || status === 404 || (status >= 300 && status < 400)) {
    return { kind: 'unusable', message: `The carrier at SMS_HTTP_URL answered ${status}.` };
  }
  if (status === 408 || status === 429 || status === 503) {
    return { kind: 'later', message: `The carrier answered ${status}.`, retryAfterS };
  }
  if (status >= 500) return { kind: 'doubt', message: `The carrier answered ${status}.` };
  return { kind: 'refused', ...readFailure((json ?? {}) as Given, 'carrier_refused') };
}

function readFinding(answer: Exchange): Finding {
  if (answer.kind !== 'answer') return { kind: 'later', message: answer.message };
  if (answer.status === 200) return readAccepted(answer.json);
  if (answer.status === 404) return { kind: 'absent' };
  // It takes no questions: then nobody ever knows.
  if (answer.status === 405 || answer.status === 501) return { kind: 'unanswerable' };
  return { kind: 'later', message: `The carrier answered ${answer.status} to a question.` };
}

export function createHttpCarrier({ url, secret }: HttpCarrierAddress, clock: Clock): TextCarrier {
  const base = url.replace(/\/+$/, '');
  return {
    name: 'http',
    isLocal: false,
    async send({ id, to, body, statusUrl }) {
      const content = JSON.stringify({ id, to, body, status_url: statusUrl });
      const signed = signStandard(secret, id, content, clock());
      const headers = { ...signed, 'idempotency-key': id, 'content-type': 'application/json' };
      return readAnswer(await exchange(base, { method: 'POST', headers, body: content }));
    },
    async look({ id }) {
      const headers = signStandard(secret, id, '', clock());
      return readFinding(await exchange(`${base}/${encodeURIComponent(id)}`, { method: 'GET', headers }));
    },
    async check(): Promise<CarrierState> {
      const headers = signStandard(secret, 'check', '', clock());
      const answer = await exchange(base, { method: 'GET', headers });
      if (answer.kind !== 'answer') return { status: 'unreachable', message: answer.message };
      const isRefused = answer.status === 401 || answer.status === 403;
      return isRefused
        ? { status: 'refused', message: `The carrier at SMS_HTTP_URL answered ${answer.status}.` }
        : { status: 'ok', message: 'The carrier at SMS_HTTP_URL answers.' };
    },
  };
}
