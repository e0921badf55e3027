import { expect, test } from 'vitest';
import { readTraceId } from '../../src/platform/trace-id.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${SPAN}-01`, TRACE],
  // A later version may append fields.
  [`cc-${TRACE}-${SPAN}-01-more`, TRACE],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}-01x`, undefined],
  [`00-${TRACE}`, undefined],
  ['', undefined],
  [undefined, undefined],
])('the trace of %s is %s', (header, traceId) => {
  expect(readTraceId(header)).toBe(traceId);
});
