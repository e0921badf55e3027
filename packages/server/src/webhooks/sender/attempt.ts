import type { Row } from '../../db/tenancy.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Chance, newId } from '../../platform/ids.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { Seal } from '../../platform/seal.ts';
import { type OpenSpan, traceParentOf } from '../../platform/tracing.ts';
import type { ContentSeal } from '../contents.ts';
import { type AttemptResult, classifyResponse, nextAttemptAt, STORED_RESPONSE_BYTES } from '../rules.ts';
import { openSecrets, signatureHeaders } from '../signing.ts';
import type { Delivery, Settlement } from '../store/queue.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly seal: Seal;
  readonly contents: ContentSeal;
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

function headersFor(
  delivery: Delivery,
  payload: string,
  { seal, span }: { readonly seal: Seal; readonly span: OpenSpan | undefined },
  now: Date,
): Record<string, string> {
  const secrets = openSecrets(seal, { ...delivery, id: delivery.endpoint_id }, now);
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Foreword-Webhooks/1',
    ...(delivery.is_test && { 'webhook-test': 'true' }),
    ...(span !== undefined && { traceparent: traceParentOf(span) }),
    ...signatureHeaders({ id: delivery.message_id, payload }, secrets, now),
  };
}

/** Makes one attempt and never throws for its outcome. An attempt that the shutdown interrupted does not count. */
export async function attempt(delivery: Delivery, deps: AttemptDeps, span: OpenSpan | undefined): Promise<Attempt> {
  const { url, active } = delivery;
  if (url === null || active !== true) {
    return { settlement: { delivery, outcome: 'dropped', nextAt: null, attempt: null }, result: null };
  }
  const startedAt = deps.clock();
  const payload = deps.contents.openPayload({ ...delivery, id: delivery.message_id });
  const { response, fault, durationMs } = await deps.outbound.request({
    method: 'POST',
    url,
    headers: headersFor(delivery, payload, { seal: deps.seal, span }, startedAt),
    body: payload,
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
  const place = { organization_id: delivery.organization_id, id: newId('att', startedAt) };
  const row: Row<'webhook_attempts'> = {
    ...place,
    environment: delivery.environment,
    endpoint_id: delivery.endpoint_id,
    message_id: delivery.message_id,
    type: delivery.type,
    succeeded: result.succeeded,
    status: response?.status ?? null,
    error: result.error,
    duration_ms: durationMs,
    sealed_answer: deps.contents.sealAnswer(place, response && toText(response.body)),
    next_attempt_at: nextAt,
    created_at: startedAt,
  };
  const outcome = result.succeeded ? 'delivered' : 'failed';
  return { settlement: { delivery, outcome, nextAt, attempt: row }, result };
}
