import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

// The model of OpenTelemetry, as far as we need it. Instrumentation that patches modules is left out (docs/decisions/0024).

/** A span that another one may have as its parent. */
export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

/** A span that has begun. */
export interface OpenSpan extends SpanContext {
  readonly parentId: string | null;
  /** Since 1970. */
  readonly startMs: number;
}

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** The result of a span's work. */
export interface SpanResult {
  readonly name: string;
  readonly kind: SpanKind;
  /** Only ids, counts and codes: never the data of a person. */
  readonly attributes: Readonly<Record<string, string | number | null | undefined>>;
  /** Why it failed. */
  readonly error?: string | null | undefined;
  /** Default: now. */
  readonly endMs?: number;
}

export type FinishedSpan = OpenSpan & SpanResult & { readonly endMs: number };

/** Decides which traces are recorded. */
export interface Sampler {
  /** A caller that sends a trace has decided already. */
  readonly followsCaller: boolean;
  /** The part of the other traces to record, from 0 to 1. */
  readonly ratio: number;
}

const TRACE_PARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})(?<traceId>[0-9a-f]{32})-(?!0{16})(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?:$|-)/;
const SAMPLED = 1;

/** The trace of a request, from W3C's header `traceparent`. Undefined without a valid one. */
function readTraceParent(header: string | string[] | undefined): (SpanContext & { isSampled: boolean }) | undefined {
  const groups = typeof header === 'string' ? TRACE_PARENT.exec(header)?.groups : undefined;
  if (groups === undefined) return undefined;
  const { traceId = '', spanId = '', flags = '' } = groups;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const readTraceId = (header: string | string[] | undefined): string | undefined =>
  readTraceParent(header)?.traceId;

/** The header that passes a trace on. */
export const traceParentOf = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`;

/** For a log line. */
export const traceIdOf = (span: SpanContext | undefined): { readonly trace_id?: string } =>
  span === undefined ? {} : { trace_id: span.traceId };

/** The time of spans, with fractions of a millisecond. */
export const spanTimeMs = (): number => performance.timeOrigin + performance.now();

const newSpanId = (): string => randomBytes(8).toString('hex');

export const startSpan = (parent: SpanContext, startMs = spanTimeMs()): OpenSpan => ({
  traceId: parent.traceId,
  spanId: newSpanId(),
  parentId: parent.spanId,
  startMs,
});

const DIGITS_OF_RATIO = 13;
const STEPS_OF_RATIO = 16 ** DIGITS_OF_RATIO;
/** All processes decide alike about one trace. */
const isInRatio = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-DIGITS_OF_RATIO), 16) < ratio * STEPS_OF_RATIO;

/** More than a collector is behind in normal operation. Further spans are dropped, and counted. */
const MAX_FINISHED = 20_000;

/** Records spans until they are sent. */
export interface Tracer {
  readonly isOn: boolean;
  /** The span of a request. Undefined if it is not recorded. */
  startRequest(traceParent: string | string[] | undefined, startMs: number): OpenSpan | undefined;
  end(span: OpenSpan, result: SpanResult): void;
  readonly finished: number;
  /** Removes up to `limit` finished spans. */
  take(limit: number): FinishedSpan[];
  /** Returns spans that could not be sent. */
  putBack(spans: readonly FinishedSpan[]): void;
  /** How many spans were dropped since the last call. */
  takeDropped(): number;
}

/** Without a sampler it records nothing. */
export function createTracer(sampler: Sampler | undefined): Tracer {
  let finished: FinishedSpan[] = [];
  let dropped = 0;
  const isRecorded = (
    { followsCaller, ratio }: Sampler,
    traceId: string,
    caller: { isSampled: boolean } | undefined,
  ) => (followsCaller && caller !== undefined ? caller.isSampled : isInRatio(traceId, ratio));
  return {
    isOn: sampler !== undefined,
    startRequest(traceParent, startMs) {
      if (sampler === undefined) return undefined;
      const caller = readTraceParent(traceParent);
      const traceId = caller?.traceId ?? randomBytes(16).toString('hex');
      if (!isRecorded(sampler, traceId, caller)) return undefined;
      return { traceId, spanId: newSpanId(), parentId: caller?.spanId ?? null, startMs };
    },
    end(span, result) {
      if (finished.length >= MAX_FINISHED) dropped += 1;
      else finished.push({ ...span, ...result, endMs: result.endMs ?? spanTimeMs() });
    },
    get finished() {
      return finished.length;
    },
    take: (limit) => finished.splice(0, limit),
    putBack(spans) {
      const free = MAX_FINISHED - finished.length;
      const returned = spans.slice(0, Math.max(0, free));
      dropped += spans.length - returned.length;
      finished = [...returned, ...finished];
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
  };
}

const spans = new AsyncLocalStorage<SpanContext>();

/** The span that the current work is part of. */
export const currentSpan = (): SpanContext | undefined => spans.getStore();

export const withSpan = <T>(span: SpanContext | undefined, work: () => T): T =>
  span === undefined ? work() : spans.run(span, work);
