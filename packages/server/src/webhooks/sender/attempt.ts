import type { Clock } from '../../platform/clock.ts';
import { type Chance, newId } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { Seal } from '../../platform/seal.ts';
import type { WebhookAttemptRow } from '../../tables.ts';
import { type AttemptResult, classifyResponse, nextAttemptAt, STORED_RESPONSE_BYTES } from '../rules.ts';
import { openSecrets, signatureHeaders } from '../signing.ts';
import type { Delivery, Settlement } from '../store/queue.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly seal: Seal;
  readonly outbound: Outbound;
  readonly timeoutMs: number;
}

export interface Attempt {
  readonly settlement: Settlement;
  /** Null if the attempt says nothing about the endpoint. */
  readonly result: AttemptResult | null;
}

// Stream mode drops a character that was cut off at the end. PostgreSQL text cannot contain NUL.
const toText = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd');

function headersFor(delivery: Delivery, seal: Seal, now: Date): Record<string, string> {
  const secrets = openSecrets(seal, { ...delivery, id: delivery.endpoint_id }, now);
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Foreword-Webhooks/1',
    ...signatureHeaders({ id: delivery.message_id, payload: delivery.payload }, secrets, now),
  };
}

/** Makes one attempt and never throws for its outcome. An attempt that the shutdown interrupted does not count. */
export async function attempt(delivery: Delivery, deps: AttemptDeps): Promise<Attempt> {
  const { url, active } = delivery;
  if (url === null || active !== true) {
    return { settlement: { delivery, outcome: 'dropped', nextAt: null, attempt: null }, result: null };
  }
  const startedAt = deps.clock();
  const { response, fault, durationMs } = await deps.outbound.request({
    method: 'POST',
    url,
    headers: headersFor(delivery, deps.seal, startedAt),
    body: delivery.payload,
    timeoutMs: deps.timeoutMs,
    keepBytes: STORED_RESPONSE_BYTES,
  });
  const now = deps.clock();
  if (fault?.step === 'stopped') {
    return { settlement: { delivery, outcome: 'released', nextAt: now, attempt: null }, result: null };
  }
  const result = classifyResponse({ status: response?.status ?? null, fault: fault?.message ?? null });
  const isFinal = result.succeeded || result.isGone;
  const nextAt = isFinal ? null : nextAttemptAt(delivery.failures + 1, now, deps.chance());
  const row: WebhookAttemptRow = {
    organization_id: delivery.organization_id,
    environment: delivery.environment,
    endpoint_id: delivery.endpoint_id,
    id: newId('att', startedAt),
    message_id: delivery.message_id,
    type: delivery.type,
    succeeded: result.succeeded,
    status: response?.status ?? null,
    error: result.error,
    duration_ms: durationMs,
    answer: response === null ? null : toText(response.body),
    next_attempt_at: nextAt,
    created_at: startedAt,
  };
  const outcome = result.succeeded ? 'delivered' : 'failed';
  return { settlement: { delivery, outcome, nextAt, attempt: row }, result };
}
