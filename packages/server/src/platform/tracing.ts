import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span, SpanStatusCode } from '@opentelemetry/api';

// Only types of OpenTelemetry: its code is loaded while traces are on (otlp/traces.ts).

export type { Span };

/** A span that another one may have as its parent. */
export interface SpanContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
}

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

/** Decides which traces are recorded. */
export interface Sampler {
  /** A caller that sends a trace has decided already. */
  readonly followsCaller: boolean;
  /** The part of the other traces to record, from 0 to 1. */
  readonly ratio: number;
}

export interface Tracer {
  /** The span of a request. Undefined if it is not recorded. */
  startRequest(name: string, traceParent: string | string[] | undefined, startMs: number): Span | undefined;
  start(name: string, kind: SpanKind, parent: SpanContext, startMs?: number): Span;
  stop(): Promise<void>;
}

/** The result of a span's work. */
export interface SpanResult {
  /** Only ids, counts and codes: never the data of a person. */
  readonly attributes: Readonly<Record<string, string | number | null | undefined>>;
  /** Why it failed. */
  readonly error?: string | null | undefined;
  /** Default: now. */
  readonly endMs?: number;
}

const FAILED: SpanStatusCode.ERROR = 2;

export function endSpan(span: Span | undefined, { attributes, error, endMs = spanTimeMs() }: SpanResult): void {
  if (span === undefined) return;
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) span.setAttribute(key, value);
  if (typeof error === 'string') span.setStatus({ code: FAILED, message: error });
  span.end(endMs);
}

const TRACE_PARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})(?<traceId>[0-9a-f]{32})-(?!0{16})(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?:$|-)/;

/** The trace of a request, from W3C's header `traceparent`. Undefined without a valid one. */
export function readTraceParent(
  header: string | string[] | undefined,
): (SpanContext & { readonly flags: number }) | undefined {
  const groups = typeof header === 'string' ? TRACE_PARENT.exec(header)?.groups : undefined;
  if (groups === undefined) return undefined;
  const { traceId = '', spanId = '', flags = '' } = groups;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** The header that passes a trace on. */
export function traceParentOf(span: Span | undefined): { readonly traceparent?: string } {
  if (span === undefined) return {};
  const { traceId, spanId } = span.spanContext();
  return { traceparent: `00-${traceId}-${spanId}-01` };
}

/** For a log line. */
export const traceIdOf = (span: Span | undefined): { readonly trace_id?: string } =>
  span === undefined ? {} : { trace_id: span.spanContext().traceId };

/** The time of spans, with fractions of a millisecond. */
export const spanTimeMs = (): number => performance.timeOrigin + performance.now();

const spans = new AsyncLocalStorage<Span>();

/** The span that the current work is part of. */
export const currentSpan = (): Span | undefined => spans.getStore();

export const withSpan = <T>(span: Span | undefined, work: () => T): T =>
  span === undefined ? work() : spans.run(span, work);
