import type { ConsoleIntro, ConsoleMessage, TimelineStep } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { findNextStep } from '../console/pages/intros/next-step.ts';
import { collapseSteps, findActor } from '../console/pages/intros/timeline-steps.ts';
import { groupByDay } from '../console/parts/time.tsx';

const NO = { possible: false, reason: null, possible_at: null };
const YES = { possible: true, reason: null, possible_at: null };
const ANA = { id: 'mem_ana', first_name: 'Ana', last_name: 'Ng' };

const INTRO = {
  status: 'requested',
  member: ANA,
  recipient: { first_name: 'Dana', last_name: null, phone: '+14155550123' },
  responsibility: 'service',
  delivery_error: null,
  delivery_status: null,
  team: null,
  recipient_opted_out: false,
  expires_at: '2026-03-12T14:30:00Z',
  recorded_at: null,
  opened_at: null,
  taken_down_at: null,
  reply: null,
  watched_percent: 0,
  record_url: 'https://example.test/r/1',
  cancelled_by: null,
  recording: null,
  messages: [],
  actions: {
    cancel: YES,
    reassign: YES,
    remind: YES,
    send_again: NO,
    correct_phone: NO,
    mark_sent: NO,
    retry_recording: NO,
  },
} as unknown as ConsoleIntro;

const stepOf = (changes: Partial<ConsoleIntro>, memberId = 'mem_olive') =>
  findNextStep({ ...INTRO, ...changes }, { memberId, format: (at) => at });

const failed = (code: string) => ({ status: 'ready' as const, delivery_error: { code, message: `${code}.` } });
const take = (status: string) => ({ recording: { status, progress: 40, refusal: null } as ConsoleIntro['recording'] });
const reply = (type: string, label: string, more: object = {}) => ({
  reply: { type, label, message: null, note: null, channel: 'page', replied_at: 'now', settled_at: null, ...more },
});
/** The part of an intro that only owners and managers get. */
const TEAM = { raw: {} } as ConsoleIntro['team'];
const DECLINED = { declined: { reason: 'away' as const, message: null, at: '2026-03-10T14:30:00Z' } };
const TEXT = {
  audience: 'recipient',
  purpose: 'deliver',
  status: 'scheduled',
  due_at: 'at 9',
  held_for: 'quiet_hours',
  held_by_state: null,
} as ConsoleMessage;

test('a text that waits for the law of a state says so', () => {
  const texas = stepOf({ status: 'ready', messages: [{ ...TEXT, held_by_state: 'Texas' }] });
  expect(texas.lead).toBe('Delayed by the quiet hours of Texas.');
  expect(stepOf({ status: 'ready', messages: [TEXT] }).lead).toBe('Delayed by quiet hours.');
});

describe('the next step of an intro', () => {
  test.each([
    ['to record, by the user', {}, ['record'], 'Record the video', ANA.id],
    ['to record, by another member', {}, ['remind'], 'Waiting for Ana Ng to record'],
    ['that was declined, for a manager', { ...DECLINED, team: TEAM }, ['reassign'], 'Declined by Ana Ng: away'],
    ['that was declined, for its member', DECLINED, ['record'], 'You declined: away', ANA.id],
    ['with a take that was refused', take('refused'), ['remind'], 'The last take couldn’t be used'],
    [
      'with a take that can be processed again',
      { ...take('refused'), actions: { ...INTRO.actions, retry_recording: YES } },
      ['retry_recording'],
      'The last take couldn’t be used',
    ],
    [
      'with a reply to the text',
      { status: 'sent', ...reply('message', 'Text message', { message: 'Hi', channel: 'text' }) },
      ['call', 'text', 'settle'],
      'Dana replied by text',
    ],
    [
      'with a reply although the text was not delivered',
      { ...failed('unreachable_number'), ...reply('thanks', 'Thank you') },
      [],
      'Dana replied: “Thank you”',
    ],
    ['with a take in processing', take('processing'), [], 'The video is being processed'],
    ['without a carrier', failed('no_text_provider'), ['send_link'], 'Not sent: no text provider is connected'],
    ['of a recipient who opted out', failed('recipient_opted_out'), [], 'Dana opted out of texts'],
    [
      'with a text that can be sent again',
      { ...failed('carrier_refused'), actions: { ...INTRO.actions, send_again: YES } },
      ['resend'],
      'The text was not sent',
    ],
    [
      'with a text that failed for a number that may be wrong',
      { ...failed('undelivered'), actions: { ...INTRO.actions, send_again: YES, correct_phone: YES } },
      ['resend', 'correct_phone'],
      'The text was not sent',
    ],
    [
      'with a wrong number',
      { ...failed('invalid_number'), actions: { ...INTRO.actions, send_again: YES, correct_phone: YES } },
      ['correct_phone', 'send_link'],
      'The text was not sent',
    ],
    [
      'whose text is planned again',
      { status: 'sent', delivery_error: failed('undelivered').delivery_error, messages: [TEXT] },
      [],
      'The text to Dana will be sent at 9',
    ],
    [
      'whose recipient opened the page although the text failed',
      { status: 'sent', delivery_error: failed('undelivered').delivery_error, opened_at: 'now' },
      [],
      'Dana opened the page',
    ],
    [
      'with a question that is done',
      { status: 'sent', ...reply('question', 'I have a question', { message: 'When?', settled_at: 'now' }) },
      [],
      'Dana replied: “I have a question”',
    ],
    [
      'with a note when another time would suit',
      { status: 'sent', ...reply('reschedule', 'I need another time', { note: 'After 5' }) },
      ['call', 'text', 'settle'],
      'Dana replied: “I need another time”',
    ],
    ['to record for a recipient who opted out', { recipient_opted_out: true }, [], 'Dana opted out of texts', ANA.id],
    [
      'with a number that gets no texts',
      { ...failed('unreachable_number'), actions: { ...INTRO.actions, send_again: YES } },
      ['send_link'],
      'The text was not sent',
    ],
    [
      'that the integration sends',
      { status: 'ready', responsibility: 'integration' },
      ['send_link'],
      'Your system sends the link',
    ],
    ['with a scheduled text', { status: 'ready', messages: [TEXT] }, [], 'The text to Dana will be sent at 9'],
    ['that is sent', { status: 'sent' }, [], 'Waiting for Dana to open the page'],
    [
      'whose page has closed',
      { ...failed('undelivered'), status: 'sent', media: null },
      [],
      'The page closed before it was opened',
    ],
    ['of a test number', { status: 'sent', delivery_status: 'simulated' }, ['send_link'], 'Simulated: test number'],
    ['that was opened', { status: 'sent', opened_at: 'now' }, [], 'Dana opened the page'],
    [
      'that was watched',
      { status: 'sent', opened_at: 'now', watched_percent: 100 },
      [],
      'Dana watched the video to the end',
    ],
    [
      'that was cancelled',
      { status: 'cancelled', cancelled_by: { kind: 'member', id: 'mem_olive', name: 'Olive Brandt' } },
      [],
      'Cancelled by Olive Brandt',
    ],
    ['that expired', { status: 'expired' }, [], 'Expired before it was recorded'],
  ] as const)('%s', (_state, changes, actions, title, ...viewer) => {
    const [memberId] = viewer as readonly string[];
    expect(stepOf(changes as Partial<ConsoleIntro>, memberId)).toMatchObject({ actions, title });
  });
});

const BEN = { id: 'mem_ben', first_name: 'Ben', last_name: 'Okafor' };
const OLIVE = { id: 'mem_olive', first_name: 'Olive', last_name: 'Brandt' };
const ZONE = 'America/Chicago';

const step = (
  type: TimelineStep['type'],
  at: string,
  detail: TimelineStep['detail'] = null,
  cause: TimelineStep['cause'] = 'member',
): TimelineStep => ({ type, at, detail, cause });

describe('the steps of a timeline', () => {
  test('show once how far the video was watched, and repeated openings once', () => {
    const steps = [
      step('opened_by_member', '2026-03-02T15:00:00Z'),
      step('opened_by_member', '2026-03-02T15:01:00Z'),
      step('opened', '2026-03-02T16:00:00Z', null, 'recipient'),
      ...[25, 50, 100].map((percent) =>
        step('watched', `2026-03-02T16:0${percent / 25}:00Z`, { percent }, 'recipient'),
      ),
    ];
    expect(collapseSteps(steps).map(({ type, detail }) => [type, detail?.percent])).toEqual([
      ['opened_by_member', undefined],
      ['opened', undefined],
      ['watched', 100],
    ]);
  });

  test('keep the openings of two members', () => {
    const steps = [
      step('opened_by_member', '2026-03-02T15:00:00Z', { member: ANA.id }),
      step('opened_by_member', '2026-03-02T15:01:00Z'),
    ];
    expect(collapseSteps(steps)).toHaveLength(2);
  });

  test('are grouped by the day in the organization’s time zone', () => {
    const steps = [step('asked', '2026-03-03T05:59:00Z'), step('member_told', '2026-03-03T06:00:00Z')];
    expect(groupByDay(steps, ZONE).map(({ date }) => date)).toEqual(['Monday, Mar 2, 2026', 'Tuesday, Mar 3, 2026']);
    expect(groupByDay(steps, 'UTC')).toHaveLength(1);
  });
});

describe('the person who caused a step', () => {
  const intro: Pick<ConsoleIntro, 'member' | 'people' | 'timeline'> = {
    member: BEN,
    people: [OLIVE, ANA, BEN],
    timeline: [step('reassigned', '2026-03-02T17:00:00Z', { from: ANA.id, to: BEN.id, member: OLIVE.id })],
  };

  test.each([
    ['the owner who cancelled', step('cancelled', '2026-03-02T18:00:00Z', { member: OLIVE.id }), OLIVE],
    ['the owner who reassigned', step('reassigned', '2026-03-02T17:00:00Z', { member: OLIVE.id, from: ANA.id }), OLIVE],
    ['the member at that time', step('recorded', '2026-03-02T16:00:00Z'), ANA],
    ['the member after a reassignment', step('recorded', '2026-03-02T18:00:00Z'), BEN],
    ['no one, if the team marked it as sent', step('sent', '2026-03-02T18:00:00Z'), undefined],
    ['no one, for steps of the service', step('expired', '2026-03-02T18:00:00Z', null, 'service'), undefined],
  ])('is %s', (_who, one, person) => {
    expect(findActor(intro, one)).toEqual(person);
  });
});
