import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  observeRequest(operation: string, status: number, seconds: number): void;
  readonly flushSize: Histogram<'batch'>;
  readonly eventsSettled: Counter<'status'>;
  readonly introsExpired: Counter;
  readonly recordingsSettled: Counter<'status'>;
  readonly messages: Counter<'channel' | 'outcome'>;
  readonly textsLimited: Counter<'reason'>;
  /** A gauge that is read each time it is scraped: NaN when its query fails, because the other metrics matter then. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'foreword_http_request_duration_seconds',
    help: 'Request duration by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  // Looking up a child by its labels costs more than observing it, so each one is cached.
  const children = new Map<string, ReturnType<typeof requests.labels>>();
  return {
    registry,
    observeRequest(operation, status, seconds) {
      const name = `${operation} ${status}`;
      let child = children.get(name);
      if (child === undefined) {
        child = requests.labels(operation, String(status));
        children.set(name, child);
      }
      child.observe(seconds);
    },
    flushSize: new Histogram({
      name: 'foreword_flush_size',
      help: 'Requests per batch write.',
      labelNames: ['batch'] as const,
      buckets: [1, 2, 4, 8, 16, 32, 64],
      registers: [registry],
    }),
    eventsSettled: new Counter({
      name: 'foreword_events_settled_total',
      help: 'Events that were processed or failed, by status.',
      labelNames: ['status'] as const,
      registers: [registry],
    }),
    introsExpired: new Counter({
      name: 'foreword_intros_expired_total',
      help: 'Expired intros.',
      registers: [registry],
    }),
    recordingsSettled: new Counter({
      name: 'foreword_recordings_settled_total',
      help: 'Recordings that the media worker finished, by status.',
      labelNames: ['status'] as const,
      registers: [registry],
    }),
    messages: new Counter({
      name: 'foreword_messages_total',
      help: 'Messages by channel and outcome.',
      labelNames: ['channel', 'outcome'] as const,
      registers: [registry],
    }),
    textsLimited: new Counter({
      name: 'foreword_texts_limited_total',
      help: 'Texts that a limit delayed or stopped, by reason.',
      labelNames: ['reason'] as const,
      registers: [registry],
    }),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          const value = await Promise.try(read).catch(() => Number.NaN);
          this.set(value);
        },
      });
    },
  };
}
