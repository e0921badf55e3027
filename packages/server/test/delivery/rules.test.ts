import { describe, expect, test } from 'vitest';
import { readKeyword } from '../../src/delivery/inbound/rules.ts';
import { type DecisionContext, decide as decideMessage } from '../../src/delivery/queue/decide.ts';
import { DEFAULT_HOURS, remindersFor, retryAt } from '../../src/delivery/queue/rules.ts';
import { isDue, summaryWeek } from '../../src/delivery/weekly-summary.ts';
import { nextDailyTime } from '../../src/platform/instants.ts';

const at = (text: string) => new Date(text);
const CHICAGO = 'America/Chicago';

describe('quiet hours', () => {
  const next = (from: string, zone = CHICAGO, hours = DEFAULT_HOURS) =>
    nextDailyTime(at(from), zone, hours).toISOString();

  test.each([
    ['at noon: now', '2026-06-10T17:00:00.000Z', '2026-06-10T17:00:00.000Z'],
    ['at 8:00 sharp: now', '2026-06-10T13:00:00.000Z', '2026-06-10T13:00:00.000Z'],
    ['just before 8:00: at 8:00', '2026-06-10T12:59:59.999Z', '2026-06-10T13:00:00.000Z'],
    ['at 20:59:59: now', '2026-06-11T01:59:59.000Z', '2026-06-11T01:59:59.000Z'],
    ['at 21:00 sharp: at 8:00 the next day', '2026-06-11T02:00:00.000Z', '2026-06-11T13:00:00.000Z'],
    ['after midnight: at 8:00 the same day', '2026-06-11T06:00:00.000Z', '2026-06-11T13:00:00.000Z'],
    ['on the last night of a year: at 8:00 in the new year', '2027-01-01T04:00:00.000Z', '2027-01-01T14:00:00.000Z'],
  ])('%s', (_name, from, until) => {
    expect(next(from)).toBe(until);
  });

  test('end an hour earlier in the night that loses an hour', () => {
    // Clocks go from 2:00 to 3:00 on March 8: 8:00 is 13:00 UTC, and 14:00 UTC the day before.
    expect(next('2026-03-07T05:00:00Z')).toBe('2026-03-07T14:00:00.000Z');
    expect(next('2026-03-08T04:00:00Z')).toBe('2026-03-08T13:00:00.000Z');
  });

  test('end an hour later in the night that gains an hour', () => {
    expect(next('2026-10-31T04:00:00Z')).toBe('2026-10-31T13:00:00.000Z');
    expect(next('2026-11-01T03:00:00Z')).toBe('2026-11-01T14:00:00.000Z');
  });

  test('that end within a skipped hour end when the clocks have moved', () => {
    expect(next('2026-03-08T07:00:00Z', CHICAGO, { from: 150, until: 1200 })).toBe('2026-03-08T08:30:00.000Z');
  });

  test('that end within a repeated hour end at the first of the two times', () => {
    // The second 1:15; the first 1:30 has passed.
    expect(next('2026-11-01T07:15:00Z', CHICAGO, { from: 90, until: 1200 })).toBe('2026-11-01T07:15:00.000Z');
  });

  test('follow local time, even in half-hour zones and the southern hemisphere', () => {
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

  test('without an appointment: halfway only', () => {
    expect(plan('2026-06-08T15:00:00Z', '2026-06-15T15:00:00Z', false)).toEqual(['remind 2026-06-12T13:00:00.000Z']);
  });

  test('with an appointment: halfway and an hour before', () => {
    expect(plan('2026-06-08T15:00:00Z', '2026-06-10T19:00:00Z', true)).toEqual([
      'remind 2026-06-09T17:00:00.000Z',
      'remind_last 2026-06-10T18:00:00.000Z',
    ]);
  });

  test('keep their distance from the request and from each other', () => {
    expect(plan('2026-06-08T15:00:00Z', '2026-06-08T15:50:00Z', true)).toEqual([]);
    expect(plan('2026-06-08T15:00:00Z', '2026-06-08T17:00:00Z', true)).toEqual([
      'remind_last 2026-06-08T16:00:00.000Z',
    ]);
  });

  test('due at night are sent in the morning, unless that is too late', () => {
    // The appointment is at 8:30, so the last reminder would be at 7:30.
    expect(plan('2026-06-08T15:00:00Z', '2026-06-10T13:30:00Z', true)).toContain(
      'remind_last 2026-06-10T13:00:00.000Z',
    );
    expect(plan('2026-06-08T15:00:00Z', '2026-06-10T12:30:00Z', true).join()).not.toContain('remind_last');
  });
});

describe('a text to the recipient', () => {
  const ready = {
    ...{ status: 'ready', expires_at: at('2026-07-01T00:00:00Z'), created_at: at('2026-06-01T00:00:00Z') },
    ...{ recipient_phone: '+442071838750', taken_down_at: null, likeness_withdrawn_at: null },
  };
  const decide = (given: object, now = '2026-06-10T17:00:00Z') => {
    const changes = given as {
      intro?: object;
      appointment?: { startsAt: Date };
      reachesPhone?: boolean;
      requestedAt?: Date;
      [Name: string]: unknown;
    };
    const { intro = ready, appointment, reachesPhone = true, requestedAt } = changes;
    return decideMessage(
      {
        message: {
          ...{ audience: 'recipient', purpose: 'deliver', resends: 0 },
          ...{ round: requestedAt === undefined ? 0 : 1, created_at: requestedAt ?? at(now) },
        },
        intro,
        member: { active: true, is_likeness_withdrawn: false },
        organization: { timezone: CHICAGO, countries: ['GB'], texts_from: null, texts_until: null },
        appointment: appointment === undefined ? null : { ...appointment, timezone: CHICAGO },
        number: {
          ...{
            is_opted_out: changes.isOptedOut ?? false,
            undo_since: changes.undoSince ?? null,
            asked_at: changes.askedAt ?? null,
            flagged_at: null,
          },
          ...{
            last_text_at: changes.lastTextAt ?? null,
            last_text_pending_until: changes.lastTextPendingUntil ?? null,
          },
        },
        textRoute: reachesPhone ? 'provider' : 'none',
      } as unknown as DecisionContext,
      at(now),
    );
  };
  const NIGHT = '2026-06-11T03:00:00Z';

  test('is sent by day, and waits for the morning at night', () => {
    expect(decide({})).toEqual({ kind: 'send' });
    const until = at('2026-06-11T13:00:00Z');
    expect(decide({}, NIGHT)).toEqual({ kind: 'wait', until, heldFor: 'quiet_hours' });
  });

  test('fails if the appointment begins before the morning', () => {
    const early = { appointment: { startsAt: at('2026-06-11T13:00:00Z') } };
    expect(decide(early, NIGHT)).toMatchObject({ kind: 'fail', code: 'appointment_over' });
    const later = { appointment: { startsAt: at('2026-06-11T13:00:01Z') } };
    expect(decide(later, NIGHT)).toMatchObject({ kind: 'wait' });
  });

  test('is sent only by hand if the appointment was over before the intro was created', () => {
    const late = { appointment: { startsAt: at('2026-05-30T13:00:00Z') } };
    const over = { kind: 'fail', code: 'appointment_over' };
    expect(decide(late)).toMatchObject(over);
    expect(decide({ ...late, reachesPhone: false })).toMatchObject(over);
    expect(decide({ ...late, lastTextAt: at('2026-06-10T15:00:00Z') })).toMatchObject(over);
    const requestedAt = at('2026-06-10T17:00:00Z');
    expect(decide({ ...late, requestedAt })).toEqual({ kind: 'send' });
    expect(decide({ ...late, requestedAt }, NIGHT)).toMatchObject({ kind: 'wait' });
    // It was ahead when the person asked, and began while the text waited.
    const began = { appointment: { startsAt: at('2026-06-10T18:00:00Z') }, requestedAt };
    expect(decide(began, '2026-06-10T18:00:00Z')).toMatchObject(over);
  });

  test('waits for 24 hours after another of the same touchpoint, and then for the morning', () => {
    const lastTextAt = at('2026-06-10T01:30:00Z');
    const until = at('2026-06-11T01:30:00Z');
    expect(decide({ lastTextAt })).toEqual({ kind: 'wait', until, heldFor: 'recent_text' });
    const late = decide({ lastTextAt: at('2026-06-10T02:30:00Z') });
    expect(late).toMatchObject({ until: at('2026-06-11T13:00:00Z') });
    expect(decide({ lastTextAt: at('2026-06-09T17:00:00Z') })).toEqual({ kind: 'send' });
  });

  test('fails with a reason if the appointment begins before then', () => {
    const changes = { lastTextAt: at('2026-06-10T15:00:00Z'), appointment: { startsAt: at('2026-06-11T14:00:00Z') } };
    expect(decide(changes)).toMatchObject({ kind: 'fail', code: 'recently_texted' });
  });

  test('waits, and does not fail, while the outcome of the other text is unknown', () => {
    const open = {
      lastTextAt: at('2026-06-10T16:59:00Z'),
      lastTextPendingUntil: at('2026-06-10T17:02:00Z'),
      appointment: { startsAt: at('2026-06-10T19:00:00Z') },
    };
    expect(decide(open)).toEqual({ kind: 'wait', until: open.lastTextPendingUntil, heldFor: 'recent_text' });
    // If the other text is in flight now, wait a few seconds instead of checking constantly.
    const inFlight = decide({ ...open, lastTextPendingUntil: at('2026-06-10T16:59:00Z') });
    expect(inFlight).toMatchObject({ kind: 'wait', until: at('2026-06-10T17:00:05Z') });
    const tooLate = decide({ ...open, lastTextPendingUntil: at('2026-06-10T19:00:00Z') });
    expect(tooLate).toMatchObject({ kind: 'fail', code: 'recently_texted' });
    expect(decide({ ...open, lastTextAt: at('2026-06-09T16:00:00Z') })).toEqual({ kind: 'send' });
  });

  test('is never sent to a recipient who opted out', () => {
    const failed = { kind: 'fail', code: 'recipient_opted_out' };
    expect(decide({ isOptedOut: true })).toMatchObject(failed);
    const undoable = { isOptedOut: true, undoSince: at('2026-06-10T17:00:00Z') };
    expect(decide(undoable, '2026-06-10T17:09:59Z')).toMatchObject({ kind: 'wait', until: at('2026-06-10T17:10:00Z') });
    expect(decide(undoable, '2026-06-10T17:10:00Z')).toMatchObject(failed);
    expect(decide({ ...undoable, requestedAt: at('2026-06-10T17:00:00Z') })).toMatchObject(failed);
  });

  test.each([
    [
      'just now',
      '2026-06-10T17:00:00Z',
      { kind: 'wait', until: at('2026-06-11T17:00:00Z'), heldFor: 'opt_out_question' },
    ],
    ['24 hours ago', '2026-06-09T17:00:00Z', { kind: 'send' }],
  ])('waits for the answer of a recipient who was asked %s whether to stop texts', (_, askedAt, decision) => {
    expect(decide({ askedAt: at(askedAt) })).toMatchObject(decision);
    expect(decide({ askedAt: at(askedAt), reachesPhone: false })).toMatchObject(decision);
    expect(decide({ askedAt: at(askedAt), isOptedOut: true })).toMatchObject({ code: 'recipient_opted_out' });
  });

  test.each(['requested', 'sent', 'cancelled', 'expired'] as const)(
    'is dropped without an error if the intro is %s',
    (status) => {
      expect(decide({ intro: { ...ready, status } })).toMatchObject({ kind: 'drop', code: `intro_${status}` });
    },
  );

  test('waits for a retake that is being processed, unless the appointment begins before', () => {
    const retake = { intro: { ...ready, is_take_processing: true } };
    expect(decide(retake)).toMatchObject({ kind: 'wait', until: at('2026-06-10T17:02:00Z') });
    expect(decide({ ...retake, appointment: { startsAt: at('2026-06-10T17:02:00Z') } })).toEqual({ kind: 'send' });
  });

  test('is dropped if its intro is past its deadline, even if it is not marked as expired', () => {
    expect(decide({ intro: { ...ready, expires_at: at('2026-06-10T17:00:00Z') } })).toMatchObject({ kind: 'drop' });
  });
});

describe('a message to the member', () => {
  const open = {
    ...{ status: 'requested', expires_at: at('2026-06-12T17:00:00Z'), link_generation: 0, is_declined: false },
    ...{ taken_down_at: null, likeness_withdrawn_at: null, is_take_processing: false, recipient_opted_out: false },
    responsibility: 'service',
  };
  const decide = (
    {
      purpose = 'remind',
      active = true,
      startsAt,
      ...intro
    }: { purpose?: string; active?: boolean; startsAt?: Date; [Name: string]: unknown },
    now = '2026-06-10T17:00:00Z',
  ) =>
    decideMessage(
      {
        message: { audience: 'member', purpose, round: 0, resends: 0 },
        intro: { ...open, ...intro },
        member: { active, is_likeness_withdrawn: false },
        organization: { timezone: CHICAGO, texts_from: null, texts_until: null },
        appointment: startsAt === undefined ? null : { startsAt, timezone: CHICAGO },
      } as unknown as DecisionContext,
      at(now),
    );

  test('is not sent about an appointment that was over for a day when the intro was requested', () => {
    const created_at = at('2026-06-09T17:00:00Z');
    const long = { created_at, startsAt: at('2026-01-12T17:00:00Z') };
    const dropped = { kind: 'drop', code: 'appointment_over' };
    expect(decide({ ...long, purpose: 'ask' })).toMatchObject(dropped);
    expect(decide(long)).toMatchObject(dropped);
    expect(decide({ ...long, purpose: 'remind_by_hand' })).toEqual({ kind: 'send' });
    expect(decide({ created_at, startsAt: at('2026-06-09T09:00:00Z'), purpose: 'ask' })).toEqual({ kind: 'send' });
  });

  test('is sent at once, even at night, if it is the request; a reminder waits for the morning', () => {
    const night = '2026-06-11T06:00:00Z';
    expect(decide({ purpose: 'ask' }, night)).toEqual({ kind: 'send' });
    expect(decide({}, night)).toMatchObject({ kind: 'wait', until: at('2026-06-11T13:00:00Z') });
    expect(decide({ expires_at: at('2026-06-11T13:00:00Z') }, night)).toMatchObject({
      code: 'too_late',
    });
  });

  test('waits while a take is being processed, and is dropped for an inactive member', () => {
    expect(decide({ is_take_processing: true })).toMatchObject({ kind: 'wait', heldFor: 'recording' });
    expect(decide({ active: false })).toMatchObject({ kind: 'drop', code: 'member_inactive' });
    expect(decide({ recipient_opted_out: true })).toMatchObject({ kind: 'drop', code: 'recipient_opted_out' });
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
    expect(readKeyword(reply)).toEqual({ keyword: 'stop', language: null });
  });
  test.each([
    ['START', 'start'],
    ['unstop', 'start'],
    ['Help?', 'help'],
    ['info', 'help'],
  ])('"%s" means %s', (reply, keyword) => {
    expect(readKeyword(reply)?.keyword).toBe(keyword);
  });
  test.each([
    ['Alto', 'stop'],
    ['no más.', 'stop'],
    ['¡PARAR!', 'stop'],
    ['iniciar', 'start'],
    ['¿Ayuda?', 'help'],
  ])('"%s" means %s, in Spanish', (reply, keyword) => {
    expect(readKeyword(reply)).toEqual({ keyword, language: 'es' });
  });
  test.each(['', 'please do not stop', 'can we end at 5?', 'yes', 'constructor', '__proto__', 'STOPP', '👍'])(
    '"%s" is not a keyword',
    (reply) => {
      expect(readKeyword(reply)).toBeNull();
    },
  );
});

test('retries get less frequent, and end', () => {
  const now = at('2026-06-10T17:00:00Z');
  const delays = Array.from({ length: 9 }, (_, i) => retryAt(i + 1, now, undefined)).map(
    (next) => next && (next.getTime() - now.getTime()) / 1000,
  );
  expect(delays).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 14400, null]);
  expect(retryAt(1, now, 60)).toEqual(at('2026-06-10T17:01:00Z'));
});

const HOUR = 3_600_000;

describe('the week of a summary', () => {
  test.each([
    ['America/Chicago', '2026-03-11T10:00:00Z', '2026-03-09', '2026-03-09T13:00:00Z', '2026-03-02T06:00:00Z', 167],
    ['Europe/London', '2026-10-26T09:00:00Z', '2026-10-26', '2026-10-26T08:00:00Z', '2026-10-18T23:00:00Z', 169],
    ['Pacific/Auckland', '2026-06-07T20:00:00Z', '2026-06-08', '2026-06-07T20:00:00Z', '2026-05-31T12:00:00Z', 168],
    ['Asia/Kathmandu', '2026-06-14T18:14:00Z', '2026-06-08', '2026-06-08T02:15:00Z', '2026-05-31T18:15:00Z', 168],
  ])('in %s runs from Monday to Monday, with clock changes', (timezone, now, week, dueAt, from, hours) => {
    const found = summaryWeek(new Date(now), timezone);
    expect(found).toMatchObject({ week, dueAt: new Date(dueAt), from: new Date(from) });
    expect((found.until.getTime() - found.from.getTime()) / HOUR).toBe(hours);
  });

  test.each([
    ['2026-03-09T12:59:59Z', false],
    ['2026-03-09T13:00:00Z', true],
    ['2026-03-10T12:59:00Z', true],
    ['2026-03-10T13:00:00Z', false],
    ['2026-03-15T23:00:00Z', false],
  ])('at %s, is due: %s', (now, due) => {
    const at = new Date(now);
    expect(isDue(summaryWeek(at, 'America/Chicago'), at)).toBe(due);
  });
});
