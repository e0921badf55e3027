import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { Counter } from 'prom-client';
import { monotonicMs } from '../platform/clock.ts';
import type { Connection, Database } from '../platform/db.ts';
import { type Listener, listen } from '../platform/listener.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { every, type Schedule } from '../platform/schedule.ts';
import type { Tables, Tenant, WebhookEndpointRow } from '../tables.ts';
import { WAKE_CHANNEL } from './publish.ts';
import { hopelessSince, TIMEOUT_MS } from './rules.ts';
import { type AttemptDeps, attempt } from './sender/attempt.ts';
import { type Line, Lines } from './sender/lines.ts';
import { createSettler } from './sender/settler.ts';
import { claimDue, type Delivery, findWaiting, type Settlement } from './sender/store.ts';
import { disableEndpoint, giveUpWaiting } from './store.ts';

/** How often retries that fell due, and what no notification told of, are looked for. */
const LOOK_MS = 1_000;
/** A claim outlives its attempt by this; then its worker is given up for dead. */
const LEASE_MARGIN_MS = 15_000;
/** What is under way may finish in this time when the process stops; the rest is stopped and goes to another worker. */
const FINISH_MS = 3_000;
const SETTLE_LIMIT_MS = 1_500;
const POLL_MS = 10;

export type DisabledReason = 'gone' | 'failing';

export interface WebhookSenderDeps extends Omit<AttemptDeps, 'timeoutMs'> {
  readonly db: Database<Tables>;
  readonly connection: Connection;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** What a receiver has. Only tests have less patience. */
  readonly timeoutMs?: number;
  /** In the transaction that turned an endpoint off: somebody has to be told. */
  onDisabled?(tx: Transaction<Tables>, endpoint: WebhookEndpointRow, reason: DisabledReason): Promise<void>;
}

export interface WebhookSender {
  start(): void;
  /** What is under way finishes, or goes back at once to whoever comes next. Closes `outbound`. */
  stop(): Promise<void>;
}

/**
 * Sends what is due: woken by notifications, and once a second by itself. Each endpoint has a line of its own, so that one that
 * hangs fills its line and no other.
 */
class Sender implements WebhookSender {
  private readonly deps: WebhookSenderDeps & { readonly timeoutMs: number };
  private readonly lines = new Lines();
  private readonly settle: (settlement: Settlement) => Promise<void>;
  private readonly attempts: Counter<'outcome'>;
  private isStopping = false;
  private isPumping = false;
  private isAskedAgain = false;
  private listener: Listener | undefined;
  private looking: Schedule | undefined;

  constructor(deps: WebhookSenderDeps) {
    this.deps = { timeoutMs: TIMEOUT_MS, ...deps };
    this.settle = createSettler(deps);
    this.attempts = new Counter({
      name: 'foreword_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by outcome.',
      labelNames: ['outcome'] as const,
      registers: [deps.metrics.registry],
    });
  }

  start(): void {
    const { connection, log } = this.deps;
    const onNotification = (payload: string) => this.wake(payload);
    this.listener = listen({ connection, channel: WAKE_CHANNEL, onNotification, onGap: () => undefined });
    this.looking = every(LOOK_MS, 'look for webhooks', log, () => this.look());
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all([this.listener?.close(), this.looking?.stop()]);
    await this.untilIdle(FINISH_MS);
    await this.deps.outbound.close();
    await this.untilIdle(SETTLE_LIMIT_MS);
  }

  private async untilIdle(limitMs: number): Promise<void> {
    const end = monotonicMs() + limitMs;
    while ((this.lines.running > 0 || this.isPumping) && monotonicMs() < end) await pause(POLL_MS);
  }

  private wake(payload: string): void {
    const [organizationId, endpointId] = payload.split(' ');
    if (organizationId === undefined || endpointId === undefined) return;
    this.lines.mark(this.lines.find({ organizationId, endpointId }));
    void this.pump();
  }

  private async look(): Promise<void> {
    if (this.isStopping) return;
    const { db, clock } = this.deps;
    for (const key of await findWaiting(db.pool, clock())) this.lines.mark(this.lines.find(key));
    await this.pump();
  }

  /** Takes what is due for as long as there is room. One at a time: what comes together meanwhile is taken together. */
  private async pump(): Promise<void> {
    this.isAskedAgain = true;
    if (this.isPumping) return;
    this.isPumping = true;
    try {
      while (this.isAskedAgain && !this.isStopping) {
        this.isAskedAgain = false;
        if (await this.takeAndSend()) this.isAskedAgain = true;
      }
    } catch (err) {
      this.deps.log.warn({ err }, 'webhooks could not be taken; they are looked for again');
    } finally {
      this.isPumping = false;
    }
  }

  /** False when there is nobody to ask, or no room. */
  private async takeAndSend(): Promise<boolean> {
    const { db, clock, timeoutMs } = this.deps;
    const chosen = this.lines.choose();
    if (chosen.length === 0) return false;
    const now = clock();
    const until = new Date(now.getTime() + timeoutMs + LEASE_MARGIN_MS);
    const asked = chosen.map(({ line, room }) => ({ ...line.key, room }));
    const counts = new Map<Line, number>();
    for (const delivery of await claimDue(db.pool, asked, now, until)) {
      const line = this.lines.find({ organizationId: delivery.organization_id, endpointId: delivery.endpoint_id });
      counts.set(line, (counts.get(line) ?? 0) + 1);
      this.lines.begin(line);
      void this.send(line, delivery);
    }
    for (const { line, room } of chosen) if (counts.get(line) === room) this.lines.mark(line);
    return true;
  }

  private async send(line: Line, delivery: Delivery): Promise<void> {
    let succeeded: boolean | null = null;
    try {
      const { settlement, verdict } = await attempt(delivery, this.deps);
      succeeded = verdict?.succeeded ?? null;
      await this.settle(settlement);
      this.report(delivery, settlement);
      if (verdict?.succeeded === false) await this.conclude(delivery, verdict.isGone);
    } catch (err) {
      // The claim lapses, and the message is sent again.
      const { message_id: message, endpoint_id: endpoint } = delivery;
      this.deps.log.error({ err, message, endpoint }, 'webhook attempt broke off');
    } finally {
      this.lines.end(line, succeeded);
      void this.pump();
    }
  }

  private report(delivery: Delivery, { outcome, attempt: made }: Settlement): void {
    this.attempts.inc({ outcome });
    const { message_id: message, endpoint_id: endpoint, organization_id: organization, type } = delivery;
    const { status = null, error = null, duration_ms } = made ?? {};
    const fields = { organization, endpoint, message, type, outcome, status, error, duration_ms };
    this.deps.log[outcome === 'delivered' ? 'debug' : 'info'](fields, 'webhook');
  }

  private async conclude(delivery: Delivery, isGone: boolean): Promise<void> {
    const since = hopelessSince(this.deps.clock());
    if (isGone) await this.disable(delivery, { reason: 'gone' });
    else if (delivery.failing_since !== null && delivery.failing_since <= since) {
      await this.disable(delivery, { reason: 'failing', since });
    }
  }

  private async disable(delivery: Delivery, why: Parameters<typeof disableEndpoint>[3]): Promise<void> {
    const tenant: Tenant = { organizationId: delivery.organization_id, environment: delivery.environment };
    const { endpoint_id: id, url } = delivery;
    const { reason } = why;
    // Deleted meanwhile.
    if (url === null) return;
    await this.deps.db.kysely.transaction().execute(async (tx) => {
      const row = await disableEndpoint(tx, tenant, { id, url }, why);
      if (row === null) return;
      await giveUpWaiting(tx, tenant, id);
      await this.deps.onDisabled?.(tx, row, reason);
      this.deps.log.warn({ endpoint: id, organization: tenant.organizationId, reason }, 'webhook endpoint turned off');
    });
  }
}

export const createWebhookSender = (deps: WebhookSenderDeps): WebhookSender => new Sender(deps);
