/** Sends due webhooks: claims, attempts and retries. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Counter } from 'prom-client';
import type { Services } from '../app/services.ts';
import { type Listener, listen } from '../db/listener.ts';
import { type Connection, isTransient } from '../db/pools.ts';
import { type Row, type Tx, tenantOf } from '../db/tenancy.ts';
import { Batcher } from '../platform/batcher.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import { type Chance, newId } from '../platform/ids.ts';
import { asSystem } from '../platform/origin.ts';
import type { Outbound } from '../platform/outbound.ts';
import { every, type Schedule } from '../platform/schedule.ts';
import type { Seal } from '../platform/seal.ts';
import { signatureHeaders } from '../platform/standard-webhooks.ts';
import { endSpan, type Span, type SpanResult, traceIdOf, traceParentOf } from '../platform/tracing.ts';
import { recordChange } from '../privacy/audit/index.ts';
import {
  type AttemptResult,
  classifyResponse,
  disabledIfFailingSince,
  nextAttemptAt,
  STORED_RESPONSE_BYTES,
  TIMEOUT_MS,
} from './rules.ts';
import { type ContentSeal, openSecrets } from './sealing.ts';
import { EndpointScheduler, type EndpointState } from './sender/scheduler.ts';
import { claimDue, type Delivery, findDueEndpoints, type Settlement, settle, WAKE_CHANNEL } from './store/queue.ts';
import { disableEndpoint, failPending } from './store.ts';

interface AttemptDeps {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly seal: Seal;
  readonly contents: ContentSeal;
  readonly outbound: Outbound;
  readonly timeoutMs: number;
}

interface Attempt {
  readonly settlement: Settlement;
  /** Null if the attempt says nothing about the endpoint. */
  readonly result: AttemptResult | null;
}

// Stream mode drops a character that was cut off at the end. PostgreSQL text cannot contain NUL.
const toText = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd');

function headersFor(
  delivery: Delivery,
  payload: string,
  { seal, span }: { readonly seal: Seal; readonly span: Span | undefined },
  now: Date,
): Record<string, string> {
  const secrets = openSecrets(seal, { ...delivery, id: delivery.endpoint_id }, now);
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Foreword-Webhooks/1',
    ...(delivery.is_test && { 'webhook-test': 'true' }),
    ...traceParentOf(span),
    ...signatureHeaders({ id: delivery.message_id, payload }, secrets, now),
  };
}

/** Makes one attempt and never throws for its outcome. An attempt that the shutdown interrupted does not count. */
async function attempt(delivery: Delivery, deps: AttemptDeps, span: Span | undefined): Promise<Attempt> {
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

const MAX_BATCH = 128;
const MAX_CONCURRENT = 2;
const MAX_TRIES = 3;
const RETRY_DELAY_MS = 250;

/** Settles finished deliveries in batches. A delivery that cannot be settled is sent again: delivery is at least once. */
function createSettler(
  deps: Pick<Services, 'db' | 'clock' | 'metrics' | 'log'>,
): (settlement: Settlement) => Promise<void> {
  const batcher = new Batcher<Settlement, true>({
    name: 'webhooks',
    maxSize: MAX_BATCH,
    maxConcurrent: MAX_CONCURRENT,
    async flush(settlements) {
      await settle(deps.db.pool, settlements, deps.clock());
      return settlements.map(() => true);
    },
    isTransient,
  });
  return async (settlement) => {
    for (let tries = 1; ; tries++) {
      try {
        await batcher.add(settlement);
        return;
      } catch (err) {
        const { message_id: message, endpoint_id: endpoint } = settlement.delivery;
        if (tries < MAX_TRIES && isTransient(err)) await pause(RETRY_DELAY_MS);
        else return deps.log.error({ err, message, endpoint }, 'webhook not settled; it will be sent again');
      }
    }
  };
}

/** How often to poll for due retries, which send no notification, and for missed notifications. */
const POLL_INTERVAL_MS = 1_000;
/** A claim lasts this much longer than its attempt can take. After that, its worker counts as dead. */
const LEASE_MARGIN_MS = 15_000;
/** On shutdown, attempts in flight get this long to finish. The others are aborted and left to another worker. */
const FINISH_MS = 3_000;
const SETTLE_LIMIT_MS = 1_500;
const IDLE_CHECK_MS = 10;

type DisabledReason = 'gone' | 'failing';

export interface WebhookSenderDeps
  extends Omit<AttemptDeps, 'timeoutMs'>,
    Pick<Services, 'db' | 'log' | 'metrics' | 'traces'> {
  readonly connection: Connection;
  /** Waits, for a limited time, while more urgent work runs. */
  yieldToRequests(): Promise<void>;
  /** Time limit for a response. Only tests set it. */
  readonly timeoutMs?: number;
  /** Runs in the transaction that disabled the endpoint, to notify its owners. */
  onDisabled?(tx: Tx, endpoint: Row<'webhook_endpoints'>, reason: DisabledReason): Promise<void>;
}

const toObject = (delivery: Delivery) =>
  delivery.object_id === null ? [] : [{ tenant: tenantOf(delivery), id: delivery.object_id }];

const describe = (
  { message_id, endpoint_id, failures }: Delivery,
  outcome: Settlement['outcome'],
  { status, error }: { readonly status: number | null; readonly error: string | null },
): SpanResult => ({
  attributes: {
    'http.response.status_code': status,
    'foreword.webhook.id': message_id,
    'foreword.endpoint.id': endpoint_id,
    'foreword.attempt': failures + 1,
    'foreword.outcome': outcome,
  },
  error: outcome === 'failed' ? (error ?? `The receiver responded with ${status}.`) : null,
});

/** Sends due deliveries. Notifications wake it, and it polls once a second. */
export class WebhookSender {
  private readonly deps: WebhookSenderDeps & { readonly timeoutMs: number };
  private readonly scheduler = new EndpointScheduler();
  private readonly settle: (settlement: Settlement) => Promise<void>;
  private readonly attempts: Counter<'outcome'>;
  private isStopping = false;
  private isPumping = false;
  private isPumpRequested = false;
  private listener: Listener | undefined;
  private polling: Schedule | undefined;

  constructor(deps: WebhookSenderDeps) {
    this.deps = { timeoutMs: TIMEOUT_MS, ...deps };
    this.settle = createSettler(deps);
    this.attempts = deps.metrics.counter(
      'foreword_webhook_attempts_total',
      'Attempts to deliver a webhook, by outcome.',
      { outcome: ['delivered', 'failed', 'dropped', 'released'] },
    );
  }

  start(): void {
    const { connection, log } = this.deps;
    const onNotification = (payload: string) => this.wake(payload);
    this.listener = listen({ connection, channel: WAKE_CHANNEL, onNotification, onGap: () => undefined });
    this.polling = every(POLL_INTERVAL_MS, 'poll for webhooks', log, () => this.poll());
  }

  /** Finishes the attempts in flight, or releases them for another worker. Closes `outbound`. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([this.listener?.close(), this.polling?.stop()]);
    await this.untilIdle(FINISH_MS);
    await this.deps.outbound.close();
    await this.untilIdle(SETTLE_LIMIT_MS);
  }

  private async untilIdle(limitMs: number): Promise<void> {
    const end = monotonicMs() + limitMs;
    while ((this.scheduler.running > 0 || this.isPumping) && monotonicMs() < end) await pause(IDLE_CHECK_MS);
  }

  private wake(payload: string): void {
    const [organizationId, endpointId] = payload.split(' ');
    if (organizationId === undefined || endpointId === undefined) return;
    this.scheduler.mark(this.scheduler.find({ organizationId, endpointId }));
    void this.pump();
  }

  private async poll(): Promise<void> {
    if (this.isStopping) return;
    const { db, clock } = this.deps;
    for (const key of await findDueEndpoints(db.pool, clock())) this.scheduler.mark(this.scheduler.find(key));
    await this.pump();
  }

  /** Claims deliveries while there are free slots. Only one run at a time, so that concurrent requests share a query. */
  private async pump(): Promise<void> {
    this.isPumpRequested = true;
    if (this.isPumping) return;
    this.isPumping = true;
    try {
      while (this.isPumpRequested && !this.isStopping) {
        await this.deps.yieldToRequests();
        this.isPumpRequested = false;
        if (await this.claimAndSend()) this.isPumpRequested = true;
      }
    } catch (err) {
      this.deps.log.warn({ err }, 'webhooks could not be claimed; the next poll tries again');
    } finally {
      this.isPumping = false;
    }
  }

  /** Returns false if no endpoint has both due deliveries and free slots. */
  private async claimAndSend(): Promise<boolean> {
    const { db, clock, timeoutMs } = this.deps;
    const chosen = this.scheduler.choose();
    if (chosen.length === 0) return false;
    const now = clock();
    const until = new Date(now.getTime() + timeoutMs + LEASE_MARGIN_MS);
    const endpoints = chosen.map(({ endpoint, slots }) => ({ ...endpoint.key, slots }));
    const counts = new Map<EndpointState, number>();
    const deliveries = await claimDue(db.pool, endpoints, now, until);
    const spans = await this.deps.traces.findIfPossible(db.pool, deliveries.flatMap(toObject));
    for (const delivery of deliveries) {
      const { organization_id: organizationId, endpoint_id: endpointId } = delivery;
      const endpoint = this.scheduler.find({ organizationId, endpointId });
      counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
      this.scheduler.begin(endpoint);
      const parent = spans.get(delivery.object_id ?? '');
      void this.send(endpoint, delivery, this.deps.traces.start(`webhook ${delivery.type}`, 'client', parent));
    }
    for (const { endpoint, slots } of chosen) {
      if (counts.get(endpoint) === slots) this.scheduler.mark(endpoint);
    }
    return true;
  }

  private async send(endpoint: EndpointState, delivery: Delivery, span: Span | undefined): Promise<void> {
    let succeeded: boolean | null = null;
    try {
      const { settlement, result } = await attempt(delivery, this.deps, span);
      succeeded = result?.succeeded ?? null;
      await this.settle(settlement);
      this.report(delivery, settlement, span);
      if (result?.succeeded === false) await this.disableIfHopeless(delivery, result.isGone);
    } catch (err) {
      // The claim expires, and the message is sent again.
      const { message_id: message, endpoint_id } = delivery;
      this.deps.log.error({ err, message, endpoint: endpoint_id }, 'webhook attempt failed unexpectedly');
    } finally {
      this.scheduler.end(endpoint, succeeded);
      void this.pump();
    }
  }

  private report(delivery: Delivery, { outcome, attempt: row }: Settlement, span: Span | undefined): void {
    this.attempts.inc({ outcome });
    const { message_id: message, endpoint_id: endpoint, organization_id: organization, type } = delivery;
    const { status = null, error = null, duration_ms } = row ?? {};
    const fields = { organization, endpoint, message, type, outcome, status, error, duration_ms, ...traceIdOf(span) };
    endSpan(span, describe(delivery, outcome, { status, error }));
    this.deps.log[outcome === 'delivered' ? 'debug' : 'info'](fields, 'webhook');
  }

  private async disableIfHopeless(delivery: Delivery, isGone: boolean): Promise<void> {
    const since = disabledIfFailingSince(this.deps.clock());
    if (isGone) await this.disable(delivery, { reason: 'gone' });
    else if (delivery.failing_since !== null && delivery.failing_since <= since) {
      await this.disable(delivery, { reason: 'failing', since });
    }
  }

  private async disable(delivery: Delivery, cause: Parameters<typeof disableEndpoint>[3]): Promise<void> {
    const tenant = tenantOf(delivery);
    const { endpoint_id: id, url } = delivery;
    const { reason } = cause;
    // The endpoint was deleted.
    if (url === null) return;
    await this.deps.db.kysely.transaction().execute(async (tx) => {
      const row = await disableEndpoint(tx, tenant, { id, url }, cause);
      if (row === null) return;
      await failPending(tx, tenant, id);
      await asSystem(() => recordChange(tx, tenant, { action: 'webhook.disabled', object: id }));
      await this.deps.onDisabled?.(tx, row, reason);
      this.deps.log.warn({ endpoint: id, organization: tenant.organizationId, reason }, 'webhook endpoint disabled');
    });
  }
}
