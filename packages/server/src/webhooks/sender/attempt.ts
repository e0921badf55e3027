import type { Chance } from '../../platform/chance.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { Seal } from '../../platform/seal.ts';
import type { WebhookAttemptRow } from '../../tables.ts';
import { ANSWER_KEPT_BYTES, judge, nextAttemptAt, type Verdict } from '../rules.ts';
import { openSecrets } from '../secrets.ts';
import { signatureHeaders } from '../signing.ts';
import type { Delivery, Settlement } from './store.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly seal: Seal;
  readonly outbound: Outbound;
  readonly timeoutMs: number;
}

export interface Attempted {
  readonly settlement: Settlement;
  /** Null when there is nothing to conclude about the endpoint. */
  readonly verdict: Verdict | null;
}

// In stream mode a character that was cut off at the end is left out. PostgreSQL has no text with NUL.
const toText = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd');

function headersFor(delivery: Delivery, seal: Seal, now: Date): Record<string, string> {
  const secrets = openSecrets(seal, { ...delivery, id: delivery.endpoint_id }, now);
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Foreword-Webhooks/1',
    ...signatureHeaders({ id: delivery.message_id, payload: delivery.payload }, secrets, now),
  };
}

/** One attempt, whatever comes of it. What was stopped by us does not count. */
export async function attempt(delivery: Delivery, deps: AttemptDeps): Promise<Attempted> {
  const { url, active } = delivery;
  if (url === null || active !== true) {
    return { settlement: { delivery, outcome: 'dropped', nextAt: null, attempt: null }, verdict: null };
  }
  const begunAt = deps.clock();
  const {
    response: answer,
    fault,
    durationMs,
  } = await deps.outbound.request({
    method: 'POST',
    url,
    headers: headersFor(delivery, deps.seal, begunAt),
    body: delivery.payload,
    timeoutMs: deps.timeoutMs,
    keepBytes: ANSWER_KEPT_BYTES,
  });
  const now = deps.clock();
  if (fault?.stage === 'stopped') {
    return { settlement: { delivery, outcome: 'released', nextAt: now, attempt: null }, verdict: null };
  }
  const verdict = judge({ status: answer?.status ?? null, fault: fault?.message ?? null });
  const isOver = verdict.succeeded || verdict.isGone;
  const nextAt = isOver ? null : nextAttemptAt(delivery.failures + 1, now, deps.chance());
  const kept: WebhookAttemptRow = {
    organization_id: delivery.organization_id,
    environment: delivery.environment,
    endpoint_id: delivery.endpoint_id,
    id: newId('att', begunAt),
    message_id: delivery.message_id,
    type: delivery.type,
    succeeded: verdict.succeeded,
    status: answer?.status ?? null,
    error: verdict.error,
    duration_ms: durationMs,
    answer: answer === null ? null : toText(answer.body),
    next_attempt_at: nextAt,
    created_at: begunAt,
  };
  const outcome = verdict.succeeded ? 'delivered' : 'failed';
  return { settlement: { delivery, outcome, nextAt, attempt: kept }, verdict };
}
