import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

type LabelValues<Label extends string> = Readonly<Record<Label, readonly string[]>>;

export type Metrics = ReturnType<typeof createMetrics>;

/** Every combination of the labels' values. */
function combine<Label extends string>(values: LabelValues<Label>): Record<Label, string>[] {
  let combined: Partial<Record<Label, string>>[] = [{}];
  for (const label of Object.keys(values) as Label[]) {
    combined = combined.flatMap((some) => values[label].map((value) => ({ ...some, [label]: value })));
  }
  return combined as Record<Label, string>[];
}

export function createMetrics() {
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
  /** A series that appears only with its first event has no rate before its second one, so each starts at zero. */
  function counter<Label extends string>(name: string, help: string, values: LabelValues<Label>): Counter<Label> {
    const labelNames = Object.keys(values) as Label[];
    const created = new Counter({ name, help, labelNames, registers: [registry] });
    for (const labels of combine(values)) created.inc(labels, 0);
    return created;
  }
  return {
    registry,
    counter,
    observeRequest(operation: string, status: number, seconds: number): void {
      const name = `${operation} ${status}`;
      let child = children.get(name);
      if (child === undefined) {
        child = requests.labels(operation, String(status));
        children.set(name, child);
      }
      child.observe(seconds);
    },
    eventsSettled: counter('foreword_events_settled_total', 'Events that were processed or failed, by status.', {
      status: ['processed', 'failed'],
    }),
    eventProcessing: new Histogram({
      name: 'foreword_event_processing_seconds',
      help: 'Time from the acceptance of an event to its intro or failure.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers: [registry],
    }),
    textHandover: new Histogram({
      name: 'foreword_text_handover_seconds',
      help: 'Time from when a text was due until its carrier accepted it.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers: [registry],
    }),
    recordingsSettled: counter(
      'foreword_recordings_settled_total',
      'Recordings that the media worker finished, by status.',
      { status: ['ready', 'refused'] },
    ),
    messages: counter('foreword_messages_total', 'Messages by channel and outcome.', {
      channel: ['text', 'email'],
      outcome: ['accepted', 'delivered', 'undelivered', 'failed'],
    }),
    textsLimited: counter('foreword_texts_limited_total', 'Texts that a limit delayed or stopped, by reason.', {
      reason: ['daily_limit', 'texts_paused', 'carrier_account', 'country_not_allowed', 'test_recording'],
    }),
    /** A gauge that is read each time it is scraped: NaN when its query fails, because the other metrics matter then. */
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
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
