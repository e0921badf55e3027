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

test.each(Object.entries(EVENT_FAILURE_ACTIONS))('an event that failed with %s', (code, next_step) => {
  const event = { ...EVENT, status: 'failed' as const, intro: null, error: { code, message: 'Why.' } };
  const { problems } = explainEvent(event, []);
  expect(problems).toEqual([{ at: null, code, message: 'Why.', next_step }]);
});

test.each(Object.entries(DELIVERY_FAILURE_ACTIONS))(
  'an intro that was not delivered because of %s has one problem',
  (code, next_step) => {
    const ready = intro({ status: 'ready' }, { reason: code, error: { code, message: 'Why.' } });
    expect(explainIntro(ready, [step('not_sent', code)]).problems).toMatchObject([{ at, code, next_step }]);
  },
);

test.each(Object.entries(DELIVERY_DELAY_ACTIONS))('an intro that waits because of %s', (code, next_step) => {
  const ready = intro({ status: 'ready' }, { reason: code, scheduled_for: at });
  expect(explainIntro(ready, []).problems).toMatchObject([{ at: null, code, next_step }]);
});

test.each(Object.entries(RECORDING_FAILURE_ACTIONS))('a take that was rejected because of %s', (code, next_step) => {
  const explained = explainIntro(intro({ status: 'requested' }), [
    step('recorded', ''),
    step('recording_refused', code),
  ]);
  expect(explained.problems).toMatchObject([{ code, next_step }]);
});

test.each(Object.entries(WEBHOOK_DISABLED_ACTIONS))('an endpoint was turned off: %s', (code, next_step) => {
  const off = { ...ENDPOINT, active: false, disabled_reason: code as 'gone' };
  expect(explainEndpoint(off, [])).toMatchObject({ status: 'inactive', problems: [{ code, next_step }] });
});

test('codes of a newer version lead to the page about errors, and names of object properties are codes like any other', () => {
  const next_step = 'Look up the code in the page about errors.';
  for (const code of ['brand_new', 'constructor', '__proto__', 'toString']) {
    const event = { ...EVENT, status: 'failed' as const, intro: null, error: { code, message: 'Why.' } };
    expect(explainEvent(event, []).problems).toMatchObject([{ code, next_step }]);
    const explained = explainIntro(intro({ status: 'requested' }), [step('recording_refused', code)]);
    expect(explained.problems).toMatchObject([{ code, next_step }]);
  }
});
