import { expect, test } from 'vitest';
import {
  type CollectedMessage,
  forFile,
  freePort,
  launchService,
  openService,
  STARTED_WITH_OPTIONS,
  startCollector,
} from '../harness/index.ts';

interface Point {
  readonly attributes: readonly { key: string; value: { stringValue: string } }[];
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
  readonly bucketCounts?: readonly string[];
  readonly explicitBounds?: readonly number[];
}
interface Data {
  readonly dataPoints: readonly Point[];
  readonly aggregationTemporality?: number;
  readonly isMonotonic?: boolean;
}
interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: Data;
  readonly gauge?: Data;
  readonly histogram?: Data;
}

/** The fields of the messages that we send, from metrics.proto of OpenTelemetry 1.x; a collector rejects or drops any other. */
const FIELDS = {
  request: ['resourceMetrics'],
  resourceMetrics: ['resource', 'scopeMetrics'],
  scopeMetrics: ['scope', 'metrics'],
  metric: ['name', 'description', 'unit', 'gauge', 'sum', 'histogram'],
  data: ['dataPoints', 'aggregationTemporality', 'isMonotonic'],
  number: ['attributes', 'startTimeUnixNano', 'timeUnixNano', 'asDouble'],
  histogram: ['attributes', 'startTimeUnixNano', 'timeUnixNano', 'count', 'sum', 'bucketCounts', 'explicitBounds'],
} as const;
const ONLY = (found: object, kind: keyof typeof FIELDS) =>
  expect(Object.keys(found).filter((field) => !(FIELDS[kind] as readonly string[]).includes(field))).toEqual([]);
const INTEGER = /^\d+$/;

const collector = await forFile(startCollector());
/** Sends its metrics five times a second. */
async function start(environment: Record<string, string>) {
  const own = { ...environment, START_OPTIONS: '{"metricsIntervalMs":200}', PORT: String(await freePort()) };
  const launched = launchService(own, { main: STARTED_WITH_OPTIONS });
  await launched.ready;
  return launched;
}
const service = await forFile(
  openService(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/otlp/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=acme%20roofing, authorization=Basic%20YTpi',
      OTEL_TRACES_SAMPLER: 'always_off',
    },
    { start },
  ),
);

function parse({ body }: CollectedMessage): Map<string, Metric> {
  const request = JSON.parse(body);
  ONLY(request, 'request');
  const [one] = request.resourceMetrics;
  ONLY(one, 'resourceMetrics');
  const [scope] = one.scopeMetrics;
  ONLY(scope, 'scopeMetrics');
  return new Map(scope.metrics.map((metric: Metric) => [metric.name, metric]));
}

const latest = () => parse(collector.received.at(-1) as CollectedMessage);
const countOf = (metric: Metric | undefined, operation: string) =>
  metric?.histogram?.dataPoints.find(({ attributes }) =>
    attributes.some(({ key, value }) => key === 'operation' && value.stringValue === operation),
  )?.count;

test('the values of /metrics reach the collector with the configured headers', async () => {
  await service.api.get('/v1/members');
  const count = collector.received.length;
  await expect.poll(() => collector.received.length).toBeGreaterThan(count + 1);
  const { url, headers, body } = collector.received.at(-1) as CollectedMessage;
  expect(url).toBe('/otlp/v1/metrics');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-team': 'acme roofing',
    authorization: 'Basic YTpi',
  });
  const attributes = JSON.parse(body).resourceMetrics[0].resource.attributes as Point['attributes'];
  expect(attributes.map(({ key }) => key)).toEqual(['service.name', 'service.version', 'service.instance.id']);
  const metrics = latest();
  const scraped = await (await fetch(`${service.service.url}/metrics`)).text();
  const names = [...scraped.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect([...metrics.keys()].sort()).toEqual(names.sort());
});

test('every message has the fields and types that OpenTelemetry publishes', () => {
  for (const metric of latest().values()) {
    ONLY(metric, 'metric');
    const kinds = [metric.sum, metric.gauge, metric.histogram].filter((data) => data !== undefined);
    expect({ name: metric.name, kinds: kinds.length }).toEqual({ name: metric.name, kinds: 1 });
    const [data] = kinds as [Data];
    ONLY(data, 'data');
    expect(data.aggregationTemporality).toBe(metric.gauge === undefined ? 2 : undefined);
    expect(data.isMonotonic).toBe(metric.sum === undefined ? undefined : true);
    for (const point of data.dataPoints) {
      ONLY(point, metric.histogram === undefined ? 'number' : 'histogram');
      for (const time of [point.startTimeUnixNano, point.timeUnixNano]) expect(time).toMatch(INTEGER);
      expect(BigInt(point.startTimeUnixNano) < BigInt(point.timeUnixNano)).toBe(true);
      if (metric.histogram === undefined) expect(point.asDouble).toEqual(expect.any(Number));
    }
  }
});

test('a histogram counts each bucket alone, one more than it has bounds', () => {
  const metric = latest().get('foreword_http_request_duration_seconds');
  expect(metric?.unit).toBe('s');
  const points = metric?.histogram?.dataPoints ?? [];
  expect(points.length).toBeGreaterThan(0);
  for (const { count, sum, bucketCounts = [], explicitBounds = [] } of points) {
    expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
    for (const bucket of bucketCounts) expect(bucket).toMatch(INTEGER);
    expect(String(bucketCounts.reduce((total, bucket) => total + Number(bucket), 0))).toBe(count);
    expect(sum).toBeGreaterThan(0);
  }
});

test('a collector that fails is logged, and the service and later values are not affected', async () => {
  collector.respondWith(503);
  const count = collector.received.length;
  await expect.poll(() => collector.received.length).toBeGreaterThan(count + 1);
  expect((await service.api.get('/v1/members')).status).toBe(200);
  await expect.poll(() => service.service.output()).toContain('OTEL_EXPORTER_OTLP_ENDPOINT responded with 503');
  expect(service.service.output()).not.toContain('YTpi');
  collector.respondWith(200);
  const later = collector.received.length;
  await expect.poll(() => collector.received.length).toBeGreaterThan(later + 1);
  expect(latest().get('process_cpu_seconds_total')).toBeDefined();
});

test('a process that stops sends its last values', async () => {
  const before = Number(countOf(latest().get('foreword_http_request_duration_seconds'), 'listMembers'));
  await Promise.all(Array.from({ length: 7 }, () => service.api.get('/v1/members')));
  await service.service.stop();
  const after = Number(countOf(latest().get('foreword_http_request_duration_seconds'), 'listMembers'));
  expect(after).toBe(before + 7);
});
