import http from 'node:http';
import type pg from 'pg';
import { createTracer, currentSpan, spanTimeMs, withSpan } from '../packages/server/src/platform/tracing.ts';
import { createTraces } from '../packages/server/src/traces/index.ts';
import { atEnd, freePort, stop } from './children.ts';
import { measureRound, openPostgres, openSite, type Round } from './cost.ts';
import { atMost, type Finding, info, median, print, times } from './figures.ts';
import { prepareDataDir } from './service.ts';

/** Accepts every message, and counts the spans. */
async function startCollector(): Promise<{ readonly url: string; readonly spans: () => number }> {
  let spans = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      spans += Buffer.concat(chunks).toString().split('"spanId"').length - 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  atEnd(async () => {
    server.close();
  });
  return { url: `http://127.0.0.1:${port}`, spans: () => spans };
}

const VARIANTS = [
  ['traces off', undefined],
  ['1 of 100 requests traced', '0.01'],
  ['every request traced', '1'],
] as const;

const CALLS = 200_000;
/** A hundredth of an event on a fast machine. */
const MAX_OFF_US = 3;
const TENANT = { organizationId: 'org_0', environment: 'test' } as const;
/** While traces are off, no statement is sent. */
const NO_DATABASE: Pick<pg.ClientBase, 'query'> = {
  query: () => {
    throw new Error('a statement was sent');
  },
};

/** Everything that an event does for traces while they are off, from its request to its intro, in µs. */
async function measureOff(): Promise<number> {
  const tracer = createTracer(undefined);
  const traces = createTraces(tracer);
  async function oneEvent(): Promise<void> {
    const span = tracer.startRequest(undefined, performance.timeOrigin + performance.now());
    const item = withSpan(span, () => ({ tenant: TENANT, id: 'evt_0', span: currentSpan(), queuedMs: spanTimeMs() }));
    await traces.remember(NO_DATABASE, [item]);
    await traces.find(NO_DATABASE, [item]);
    await traces.remember(NO_DATABASE, [item]);
  }
  for (let n = 0; n < CALLS; n++) await oneEvent();
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n++) await oneEvent();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

/** The processor time of an event with and without traces. The variants alternate, each with a new process. */
export async function measureTraces(quick: boolean): Promise<Finding[]> {
  const offUs = await measureOff();
  const { server, environment } = await openPostgres();
  const prepared = await prepareDataDir(environment);
  const collector = await startCollector();
  const [rounds, seconds] = quick ? [1, 2] : [4, 4];
  const measured = VARIANTS.map((): Round[] => []);
  for (let n = 0; n < rounds; n++) {
    for (const [i, [name, ratio]] of VARIANTS.entries()) {
      print(`${name}: warm-up, then ${seconds} s`);
      const traces = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: ratio ?? '',
      };
      const site = await openSite(server, ratio === undefined ? environment : { ...environment, ...traces }, prepared);
      await measureRound(site, 2);
      measured[i]?.push(await measureRound(site, seconds));
      await site.database.end();
      await stop(site.service.child);
    }
  }
  const [off = 0, ...on] = measured.map((all) =>
    median(all.map((one) => (one.serviceMs + one.postgresMs) / one.bareMs)),
  );
  return [
    atMost('what an event costs while traces are off', offUs, MAX_OFF_US, (us) => `${us.toFixed(2)} µs`),
    info('processor time of an event, compared with a bare Fastify: traces off', times(off)),
    ...on.map((cost, i) => info(`  ${VARIANTS[i + 1]?.[0]}, compared with off`, times(cost / off))),
    info('spans that the collector received', String(collector.spans())),
  ];
}
