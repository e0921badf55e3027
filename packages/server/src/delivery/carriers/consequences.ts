import { DELIVERY_FAILURES } from '@foreword/contract';
import type { Outcome, Report } from './carrier.ts';
import type { CarrierCode } from './codes.ts';

/** The outcome of a text that the carrier rejected in its response. Undefined: the carrier's code is not in our table. */
export function refusalOf(
  code: CarrierCode | undefined,
  { reason, retryAfterS }: { readonly reason: string; readonly retryAfterS: number | undefined },
): Outcome {
  if (code?.action === 'retry') return { kind: 'later', message: reason, retryAfterS };
  if (code?.action === 'hold') return { kind: 'unusable', fault: code.fault, message: reason };
  const failure = code?.failure ?? 'carrier_refused';
  const message = `${DELIVERY_FAILURES[failure]} (${reason})`;
  return { kind: 'refused', code: failure, message, ...(code?.action === 'notify' && { fault: code.fault }) };
}

/** The report about a text that the carrier accepted at first, but did not deliver. */
export function undelivered(code: CarrierCode | undefined, carrier: string, given: number | string | null): Report {
  const isAgain = code?.action === 'retry' || code?.action === 'hold';
  const failure = code === undefined || isAgain ? 'undelivered' : code.failure;
  const message = given === null ? DELIVERY_FAILURES[failure] : `${DELIVERY_FAILURES[failure]} (${carrier} ${given})`;
  return {
    status: 'undelivered',
    code: failure,
    message,
    ...(isAgain && { again: code.action }),
    ...((code?.action === 'hold' || code?.action === 'notify') && { fault: code.fault }),
  };
}
