import { setTimeout } from 'node:timers/promises';
import { type Context, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../log.ts';
import { readTraceParent, type Sampler, type SpanContext, spanTimeMs, type Tracer } from '../tracing.ts';
import { attributesOf, type OtlpSettings, type Sender } from './metrics.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};
/** More than a collector is behind in normal operation. Further spans are dropped, and counted in the log. */
const MAX_WAITING = 20_000;
/** A trace is visible as soon as someone looks for a request that just failed. */
const DELAY_MS = 1_000;
/** Enough for the five retries of a batch, which take 13 seconds. */
const EXPORT_TIMEOUT_MS = 20_000;
/** A process that stops waits no longer for its collector. */
const STOP_MS = 1_000;

const childOf = ({ traceId, spanId }: SpanContext, traceFlags: number): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });

/** Records spans and sends them to a collector of OpenTelemetry. */
export function startTracer(
  { endpoint, headers }: OtlpSettings,
  sampler: Sampler,
  { log, ...sender }: Sender & { readonly log: Logger },
): Tracer {
  const ignore = () => undefined;
  const warn = (message: string) => log.warn(`traces: ${message}`);
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((error) => {
    const { message, code } =
      typeof error === 'string' ? { message: error, code: undefined } : (error as NodeJS.ErrnoException);
    log.warn(
      { error: message, code },
      'the collector at OTEL_EXPORTER_OTLP_ENDPOINT did not accept spans; they were dropped',
    );
  });
  const ofRatio = new TraceIdRatioBasedSampler(sampler.ratio);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes(attributesOf(sender)),
    sampler: sampler.followsCaller ? new ParentBasedSampler({ root: ofRatio }) : ofRatio,
    spanProcessors: [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, scheduledDelayMillis: DELAY_MS })],
  });
  const tracer = provider.getTracer('foreword', sender.version);
  return {
    startRequest(name, traceParent, startTime) {
      const caller = readTraceParent(traceParent);
      const context = caller === undefined ? ROOT_CONTEXT : childOf(caller, caller.flags);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime }, context);
      return span.isRecording() ? span : undefined;
    },
    start: (name, kind, parent, startTime = spanTimeMs()) =>
      tracer.startSpan(name, { kind: KINDS[kind], startTime }, childOf(parent, TraceFlags.SAMPLED)),
    async stop() {
      const sent = provider.shutdown().catch((err: unknown) => log.warn({ err }, 'the last spans were not sent'));
      await Promise.race([sent, setTimeout(STOP_MS)]);
    },
  };
}
