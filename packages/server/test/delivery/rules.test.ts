import { describe, expect, test } from 'vitest';
import { readKeyword } from '../../src/delivery/inbound/rules.ts';
import {
  DEFAULT_HOURS,
  decideMemberMessage,
  decideRecipientMessage,
  nextAllowedTime,
  remindersFor,
  retryAt,
} from '../../src/delivery/queue/rules.ts';

const at = (text: string) => new Date(text);
const CHICAGO = 'America/Chicago';

describe('quiet hours', () => {
  const next = (from: string, zone = CHICAGO, hours = DEFAULT_HOURS) =>
    nextAllowedTime(at(from), zone, hours).toISOString();

  test.each([
    ['in the middle of the day: now', '2026-06-10T17:00:00.000Z', '2026-06-10T17:00:00.000Z'],
    ['at 8:00 sharp: now', '2026-06-10T13:00:00.000Z', '2026-06-10T13:00:00.000Z'],
    ['a moment before 8:00: at 8:00', '2026-06-10T12:59:59.999Z', '2026-06-10T13:00:00.000Z'],
    ['at 20:59:59: now', '2026-06-11T01:59:59.000Z', '2026-06-11T01:59:59.000Z'],
    ['at 21:00 sharp: at 8:00 of the next day', '2026-06-11T02:00:00.000Z', '2026-06-11T13:00:00.000Z'],
    ['after midnight: at 8:00 of the same day', '2026-06-11T06:00:00.000Z', '2026-06-11T13:00:00.000Z'],
    ['on the last night of a month and a year', '2027-01-01T04:00:00.000Z', '2027-01-01T14:00:00.000Z'],
  ])('%s', (_says, from, until) => {
    expect(next(from)).toBe(until);
  });

  test('the night that loses an hour ends an hour sooner', () => {
    // Clocks go from 2:00 to 3:00 on March 8; 8:00 is 13:00 UTC, the day before it was 14:00.
    expect(next('2026-03-07T05:00:00Z')).toBe('2026-03-07T14:00:00.000Z');
    expect(next('2026-03-08T04:00:00Z')).toBe('2026-03-08T13:00:00.000Z');
  });

  test('the night that gains an hour ends an hour later', () => {
    expect(next('2026-10-31T04:00:00Z')).toBe('2026-10-31T13:00:00.000Z');
    expect(next('2026-11-01T03:00:00Z')).toBe('2026-11-01T14:00:00.000Z');
  });

  test('an opening within the hour that is skipped comes when the clocks have moved on', () => {
    expect(next('2026-03-08T07:00:00Z', CHICAGO, { from: 150, until: 1200 })).toBe('2026-03-08T08:30:00.000Z');
  });

  test('an opening within the hour that comes twice is not waited for twice', () => {
    // 1:15 for the second time; 1:30 has been.
    expect(next('2026-11-01T07:15:00Z', CHICAGO, { from: 90, until: 1200 })).toBe('2026-11-01T07:15:00.000Z');
  });

  test('hours are those of the place: half-hour zones and the southern half of the year too', () => {
    expect(next('2026-06-10T00:00:00Z', 'Asia/Kolkata')).toBe('2026-06-10T02:30:00.000Z');
    expect(next('2026-10-03T12:00:00Z', 'Australia/Sydney')).toBe('2026-10-03T21:00:00.000Z');
  });
});

describe('reminders', () => {
  const plan = (created: string, deadline: string, isAppointment: boolean) =>
    remindersFor({
      createdAt: at(created),
      deadline: at(deadline),
      isAppointment,
      timezone: CHICAGO,
      hours: DEFAULT_HOURS,
    }).map(({ purpose, at: when }) => `${purpose} ${when.toISOString()}`);

  test('without an appointment: halfway alone', () => {
    expect(plan('2026-06-08T15:00:00Z', '2026-06-15T15:00:00Z', false)).toEqual(['remind 2026-06-12T13:00:00.000Z']);
  });

  test('with one: halfway, and an hour before', () => {
    expect(plan('2026-06-08T15:00:00Z', '2026-06-10T19:00:00Z', true)).toEqual([
      'remind 2026-06-09T17:00:00.000Z',
      'remind_last 2026-06-10T18:00:00.000Z',
    ]);
  });

  test('none so soon after the request, or so near to the other, that it would nag', () => {
    expect(plan('2026-06-08T15:00:00Z', '2026-06-08T15:50:00Z', true)).toEqual([]);
    expect(plan('2026-06-08T15:00:00Z', '2026-06-08T17:00:00Z', true)).toEqual([
      'remind_last 2026-06-08T16:00:00.000Z',
    ]);
  });

  test('one that falls into the night comes in the morning, unless it is too late then', () => {
    // 8:30 in the morning: an hour before would be 7:30.
    expect(plan('2026-06-08T15:00:00Z', '2026-06-10T13:30:00Z', true)).toContain(
      'remind_last 2026-06-10T13:00:00.000Z',
    );
    expect(plan('2026-06-08T15:00:00Z', '2026-06-10T12:30:00Z', true).join()).not.toContain('remind_last');
  });
});

describe('a text to a recipient', () => {
  const ready = {
    status: 'ready',
    expiresAt: at('2026-07-01T00:00:00Z'),
    createdAt: at('2026-06-01T00:00:00Z'),
  } as const;
  const judge = (changes: object, now = '2026-06-10T17:00:00Z') =>
    decideRecipientMessage(
      {
        intro: ready,
        isResend: false,
        appointment: null,
        timezone: CHICAGO,
        hours: DEFAULT_HOURS,
        isOptedOut: false,
        lastTextAt: null,
        lastTextPendingUntil: null,
        ...changes,
      },
      at(now),
    );
  const NIGHT = '2026-06-11T03:00:00Z';

  test('goes by day, and waits for the morning at night', () => {
    expect(judge({})).toEqual({ kind: 'send' });
    const until = at('2026-06-11T13:00:00Z');
    expect(judge({}, NIGHT)).toEqual({ kind: 'wait', until, heldFor: 'quiet_hours' });
  });

  test('is not sent when the appointment has begun by the morning', () => {
    const early = { appointment: { startsAt: at('2026-06-11T13:00:00Z') } };
    expect(judge(early, NIGHT)).toMatchObject({ kind: 'fail', code: 'appointment_over' });
    const later = { appointment: { startsAt: at('2026-06-11T13:00:01Z') } };
    expect(judge(later, NIGHT)).toMatchObject({ kind: 'wait' });
  });

  test('goes in spite of an appointment that was past already when the intro was made', () => {
    expect(judge({ appointment: { startsAt: at('2026-05-30T13:00:00Z') } })).toEqual({ kind: 'send' });
  });

  test('waits for 24 hours after another of its touchpoint, and then for the morning', () => {
    const lastTextAt = at('2026-06-10T01:30:00Z');
    const until = at('2026-06-11T01:30:00Z');
    expect(judge({ lastTextAt })).toEqual({ kind: 'wait', until, heldFor: 'recent_text' });
    const late = judge({ lastTextAt: at('2026-06-10T02:30:00Z') });
    expect(late).toMatchObject({ until: at('2026-06-11T13:00:00Z') });
    expect(judge({ lastTextAt: at('2026-06-09T17:00:00Z') })).toEqual({ kind: 'send' });
  });

  test('is dropped, and says why, when the appointment begins before those are over', () => {
    const changes = { lastTextAt: at('2026-06-10T15:00:00Z'), appointment: { startsAt: at('2026-06-11T14:00:00Z') } };
    expect(judge(changes)).toMatchObject({ kind: 'fail', code: 'recently_texted' });
  });

  test('is looked at again, and not dropped, while nobody knows whether the other one went', () => {
    const open = {
      lastTextAt: at('2026-06-10T16:59:00Z'),
      lastTextPendingUntil: at('2026-06-10T17:02:00Z'),
      appointment: { startsAt: at('2026-06-10T19:00:00Z') },
    };
    expect(judge(open)).toEqual({ kind: 'wait', until: open.lastTextPendingUntil, heldFor: 'recent_text' });
    // Under way at this moment: not at once, and again and again.
    const underWay = judge({ ...open, lastTextPendingUntil: at('2026-06-10T16:59:00Z') });
    expect(underWay).toMatchObject({ kind: 'wait', until: at('2026-06-10T17:00:05Z') });
    const tooLate = judge({ ...open, lastTextPendingUntil: at('2026-06-10T19:00:00Z') });
    expect(tooLate).toMatchObject({ kind: 'fail', code: 'recently_texted' });
    expect(judge({ ...open, lastTextAt: at('2026-06-09T16:00:00Z') })).toEqual({ kind: 'send' });
  });

  test('never goes to somebody who opted out', () => {
    expect(judge({ isOptedOut: true })).toMatchObject({ kind: 'fail', code: 'recipient_opted_out' });
  });

  test.each(['requested', 'sent', 'cancelled', 'expired'] as const)(
    'is dropped in silence when the intro is %s',
    (status) => {
      expect(judge({ intro: { ...ready, status } })).toMatchObject({ kind: 'drop', code: `intro_${status}` });
    },
  );

  test('is dropped when the time of its intro is up, before anybody has said so', () => {
    expect(judge({ intro: { ...ready, expiresAt: at('2026-06-10T17:00:00Z') } })).toMatchObject({ kind: 'drop' });
  });
});

describe('a word to a member', () => {
  const open = { status: 'requested', expiresAt: at('2026-06-12T17:00:00Z') } as const;
  const judge = (changes: object, now = '2026-06-10T17:00:00Z') =>
    decideMemberMessage(
      {
        intro: open,
        isReminder: true,
        isReassigned: false,
        isActive: true,
        isTakeProcessing: false,
        timezone: CHICAGO,
        hours: DEFAULT_HOURS,
        ...changes,
      },
      at(now),
    );

  test('that asks goes at once, also at night; a reminder waits for the morning', () => {
    const night = '2026-06-11T06:00:00Z';
    expect(judge({ isReminder: false }, night)).toEqual({ kind: 'send' });
    expect(judge({}, night)).toMatchObject({ kind: 'wait', until: at('2026-06-11T13:00:00Z') });
    expect(judge({ intro: { ...open, expiresAt: at('2026-06-11T13:00:00Z') } }, night)).toMatchObject({
      code: 'too_late',
    });
  });

  test('waits while a take is being processed, and is not said to who was deactivated', () => {
    expect(judge({ isTakeProcessing: true })).toMatchObject({ kind: 'wait', heldFor: 'recording' });
    expect(judge({ isActive: false })).toMatchObject({ kind: 'drop', code: 'member_inactive' });
  });
});

describe('a reply', () => {
  test.each([
    'STOP',
    'stop',
    ' Stop. ',
    'STOP!',
    'StopAll',
    'stop all',
    'unsubscribe',
    'Cancel',
    'END',
    'quit',
    'revoke',
    'OptOut',
    'opt-out',
    'ＳＴＯＰ',
  ])('"%s" opts out', (reply) => {
    expect(readKeyword(reply)).toBe('stop');
  });
  test.each([
    ['START', 'start'],
    ['unstop', 'start'],
    ['Help?', 'help'],
    ['info', 'help'],
  ])('"%s" means %s', (reply, keyword) => {
    expect(readKeyword(reply)).toBe(keyword);
  });
  test.each(['', 'please do not stop', 'can we end at 5?', 'yes', 'constructor', '__proto__', 'STOPP', '👍'])(
    '"%s" is no keyword',
    (reply) => {
      expect(readKeyword(reply)).toBeNull();
    },
  );
});

test('what was not taken is tried again, later each time, and not for ever', () => {
  const now = at('2026-06-10T17:00:00Z');
  const delays = Array.from({ length: 9 }, (_, i) => retryAt(i + 1, now, undefined)).map(
    (next) => next && (next.getTime() - now.getTime()) / 1000,
  );
  expect(delays).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 14400, null]);
  expect(retryAt(1, now, 60)).toEqual(at('2026-06-10T17:01:00Z'));
});
