import type { Logger } from '../log.ts';
import type { Schedule } from '../schedule.ts';
import type { FinishedSpan, SpanKind, Tracer } from '../tracing.ts';
import { nanoseconds, type OtlpSettings, post, resourceOf, type Sender, sendRepeatedly } from './client.ts';

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, consumer: 5 };
const FAILED = 2;
/** Spans in one message: OpenTelemetry's default. */
const BATCH = 512;

const toValue = (value: string | number) =>
  typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value };

const toAttributes = (attributes: FinishedSpan['attributes']) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: toValue(value) }],
  );

const toSpan = ({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, error }: FinishedSpan) => ({
  traceId,
  spanId,
  ...(parentId !== null && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
  attributes: toAttributes(attributes),
  ...(typeof error === 'string' && { status: { code: FAILED, message: error } }),
});

/** Sends finished spans to a collector of OpenTelemetry. Those that it does not accept are sent again while there is room. */
export function exportTraces(
  tracer: Tracer,
  settings: OtlpSettings & { readonly delayMs: number },
  { log, ...sender }: Sender & { readonly log: Logger },
): Schedule {
  const resource = resourceOf(sender);
  const scope = { name: 'foreword', version: sender.version };
  async function sendBatch(signal: AbortSignal): Promise<void> {
    const spans = tracer.take(BATCH);
    const scopeSpans = [{ scope, spans: spans.map(toSpan) }];
    try {
      await post(settings, '/v1/traces', { resourceSpans: [{ resource, scopeSpans }] }, signal);
    } catch (error) {
      tracer.putBack(spans);
      throw error;
    }
  }
  return sendRepeatedly('traces', settings.delayMs, log, async (newSignal) => {
    const dropped = tracer.takeDropped();
    if (dropped > 0) log.warn({ spans: dropped }, 'the collector is too slow; spans were dropped');
    while (tracer.finished > 0) await sendBatch(newSignal());
  });
}
