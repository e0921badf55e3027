const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})(?<traceId>[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/;

/** The trace that a request belongs to, from W3C's header `traceparent`. Undefined without a valid one. */
export function readTraceId(traceParent: string | string[] | undefined): string | undefined {
  return typeof traceParent === 'string' ? TRACE_PARENT.exec(traceParent)?.groups?.traceId : undefined;
}
