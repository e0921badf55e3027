import {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_FAILURE_ACTIONS,
  webhookEndpointExample as ENDPOINT,
  eventExample as EVENT,
  EVENT_FAILURE_ACTIONS,
  introExample as INTRO,
  type Intro,
  RECORDING_FAILURE_ACTIONS,
  type TimelineStep,
  WEBHOOK_DISABLED_ACTIONS,
} from '@foreword/contract';
import { expect, test } from 'vitest';
import { explainEndpoint, explainEvent, explainIntro } from '../../src/http/mcp/tools.ts';

const at = '2026-03-10T09:15:00.000Z';
const intro = (changes: Partial<Intro>, delivery: Partial<Intro['delivery']> = {}): Intro => ({
  ...INTRO,
  ...changes,
  delivery: { ...INTRO.delivery, error: null, reason: null, scheduled_for: null, ...delivery },
});
const step = (type: TimelineStep['type'], code: string): TimelineStep => ({
  at,
  type,
  cause: 'service',
  detail: { code },
});

test.each(Object.entries(EVENT_FAILURE_ACTIONS))('an event that failed with %s', (code, action) => {
  const event = { ...EVENT, status: 'failed' as const, intro: null, error: { code, message: 'Why.' } };
  expect(explainEvent(event, null)).toMatchObject({ summary: 'The event failed: Why.', next_step: action });
});

test.each(Object.entries(DELIVERY_FAILURE_ACTIONS))('an intro that was not delivered because of %s', (code, action) => {
  const ready = intro(
    { status: 'ready' },
    { responsibility: 'service', reason: code, error: { code, message: 'Why.' } },
  );
  const explained = explainIntro(ready, [step('not_sent', code)]);
  expect(explained).toMatchObject({ next_step: action, problems: [{ at, code, next_step: action }] });
});

test.each(Object.entries(DELIVERY_DELAY_ACTIONS))('an intro that waits because of %s', (reason, action) => {
  const ready = intro({ status: 'ready' }, { responsibility: 'service', reason, scheduled_for: at });
  expect(explainIntro(ready, [])).toMatchObject({
    next_step: action,
    summary: expect.stringContaining(at),
    problems: [],
  });
});

test.each(Object.entries(RECORDING_FAILURE_ACTIONS))('a take that was rejected because of %s', (code, action) => {
  const explained = explainIntro(intro({ status: 'requested' }), [
    step('recorded', ''),
    step('recording_refused', code),
  ]);
  expect(explained).toMatchObject({ next_step: action, problems: [{ code }] });
});

test.each(Object.entries(WEBHOOK_DISABLED_ACTIONS))('an endpoint was turned off: %s', (disabled_reason, action) => {
  const off = { ...ENDPOINT, active: false, disabled_reason: disabled_reason as 'gone' };
  expect(explainEndpoint(off, [])).toMatchObject({ status: 'inactive', next_step: action });
});

test('codes of a newer version lead to the page about errors, and names of object properties are codes like any other', () => {
  for (const code of ['brand_new', 'constructor', '__proto__', 'toString']) {
    const event = { ...EVENT, status: 'failed' as const, intro: null, error: { code, message: 'Why.' } };
    expect(explainEvent(event, null).next_step).toBe('Look up the code in the page about errors.');
    const explained = explainIntro(intro({ status: 'requested' }), [step('recording_refused', code)]);
    expect(explained.problems).toMatchObject([{ code, next_step: 'Look up the code in the page about errors.' }]);
  }
});

test('an intro that your system delivers: send the link, unless the recipient has opted out', () => {
  const ready = { status: 'ready', recipient_opted_out: false } as const;
  const link = explainIntro(intro(ready, { responsibility: 'integration' }), []);
  expect(link.next_step).toContain('Send `delivery.recipient_url`');
  const optedOut = explainIntro(intro({ ...ready, recipient_opted_out: true }, { responsibility: 'integration' }), []);
  expect(optedOut.next_step).toBe('Nothing: the recipient does not want to be texted.');
});
