/** Folder: sends metrics and traces to a collector of OpenTelemetry. */

import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { Logger } from '../log.ts';
import { every, type Schedule } from '../schedule.ts';

// OTLP over HTTP with JSON, written here: the SDK of OpenTelemetry cannot send the values that prom-client already has.

/** Where OTLP messages are sent. */
export interface OtlpSettings {
  /** The collector, without `/v1/…`. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The process that the messages are about. */
export interface Sender {
  readonly version: string;
  readonly instance: string;
}

export const attributesOf = ({ version, instance }: Sender) => ({
  'service.name': 'foreword',
  'service.version': version,
  'service.instance.id': instance,
});

type Labels = Readonly<Partial<Record<string, string | number>>>;
type Value = MetricValue<string> & { readonly metricName?: string };
type Metric = MetricObjectWithValues<Value>;

interface Period {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

const nanoseconds = (ms: number): string => `${Math.round(ms * 1_000)}000`;

const toAttributes = (values: Labels) =>
  Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: String(value) } }));

const CUMULATIVE = 2;
/** The units that the names of Prometheus end with. */
const UNITS: readonly (readonly [suffix: RegExp, unit: string])[] = [
  [/_seconds(_total)?$/, 's'],
  [/_bytes(_total)?$/, 'By'],
];

const toPoint = ({ labels, value }: Value, period: Period) => ({
  attributes: toAttributes(labels),
  ...period,
  asDouble: value,
});

/** A histogram of Prometheus counts each bucket with all smaller ones; OTLP counts each alone. */
function toHistogramPoints({ name, values }: Metric, period: Period): object[] {
  const series = new Map<string, Value[]>();
  for (const value of values) {
    const { le: _, ...labels } = value.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), value]);
  }
  return [...series].map(([key, own]) => {
    const find = (suffix: string) => own.find(({ metricName }) => metricName === name + suffix)?.value ?? 0;
    const buckets = own.filter(({ metricName }) => metricName === `${name}_bucket`);
    return {
      attributes: toAttributes(JSON.parse(key) as Labels),
      ...period,
      count: String(find('_count')),
      sum: find('_sum'),
      explicitBounds: buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite),
      bucketCounts: buckets.map(({ value }, i) => String(value - (buckets[i - 1]?.value ?? 0))),
    };
  });
}

/** Null for a kind that we do not have. */
function toData(metric: Metric, period: Period): object | null {
  const values = metric.values.filter(({ value }) => Number.isFinite(value));
  switch (String(metric.type)) {
    case 'counter':
      return {
        sum: {
          aggregationTemporality: CUMULATIVE,
          isMonotonic: true,
          dataPoints: values.map((value) => toPoint(value, period)),
        },
      };
    case 'gauge':
      return { gauge: { dataPoints: values.map((value) => toPoint(value, period)) } };
    case 'histogram':
      return { histogram: { aggregationTemporality: CUMULATIVE, dataPoints: toHistogramPoints(metric, period) } };
    default:
      return null;
  }
}

function toMetrics(metrics: readonly Metric[], period: Period): object[] {
  return metrics.flatMap((metric) => {
    const { name, help: description } = metric;
    const unit = UNITS.find(([suffix]) => suffix.test(name))?.[1] ?? '1';
    const data = toData(metric, period);
    return data === null ? [] : [{ name, description, unit, ...data }];
  });
}

const TIMEOUT_MS = 5_000;
/** A process that stops waits no longer for its collector. */
const LAST_TIMEOUT_MS = 1_000;

async function post({ endpoint, headers }: OtlpSettings, message: object, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${endpoint}/v1/metrics`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector at OTEL_EXPORTER_OTLP_ENDPOINT responded with ${response.status}`);
}

/**
 * Sends the values of /metrics to a collector of OpenTelemetry, and once more when the process stops. They are totals, so a
 * failed attempt loses nothing: the next one contains it.
 */
export function exportMetrics(
  registry: Registry,
  settings: OtlpSettings & { readonly intervalMs: number },
  { log, ...sender }: Sender & { readonly log: Logger },
): Schedule {
  const startTimeUnixNano = nanoseconds(performance.timeOrigin);
  const resource = { attributes: toAttributes(attributesOf(sender)) };
  const scope = { name: 'foreword', version: sender.version };
  const stopping = new AbortController();
  async function send(signal: AbortSignal): Promise<void> {
    const metrics = (await registry.getMetricsAsJSON()) as Metric[];
    const period = { startTimeUnixNano, timeUnixNano: nanoseconds(performance.timeOrigin + performance.now()) };
    const scopeMetrics = [{ scope, metrics: toMetrics(metrics, period) }];
    await post(settings, { resourceMetrics: [{ resource, scopeMetrics }] }, signal);
  }
  const repeated = every(settings.intervalMs, 'send metrics', log, async () => {
    try {
      await send(AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]));
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  });
  return {
    async stop() {
      stopping.abort();
      await repeated.stop();
      await send(AbortSignal.timeout(LAST_TIMEOUT_MS)).catch((err: unknown) =>
        log.warn({ err }, 'the last metrics were not sent'),
      );
    },
  };
}
