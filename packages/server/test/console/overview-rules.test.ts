import type { AttentionIntro, IntroProblem, OverviewIssue } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { datesUntil, orderAttention, recordingTimes, startOfDate } from '../../src/console/overview/rules.ts';
import { localDate } from '../../src/platform/instants.ts';

const ZONE = 'America/Chicago';

describe('periods', () => {
  const now = new Date('2026-03-09T04:30:00Z');

  test('are calendar days in the time zone, including today', () => {
    expect(localDate(now, ZONE)).toBe('2026-03-08');
    expect(datesUntil(now, 3, ZONE)).toEqual(['2026-03-06', '2026-03-07', '2026-03-08']);
    expect(datesUntil(now, 2, 'Pacific/Auckland')).toEqual(['2026-03-08', '2026-03-09']);
  });

  test('start at local midnight, even when the clocks change that day', () => {
    expect(startOfDate('2026-03-08', ZONE).toISOString()).toBe('2026-03-08T06:00:00.000Z');
    expect(startOfDate('2026-03-09', ZONE).toISOString()).toBe('2026-03-09T05:00:00.000Z');
  });
});

describe('recording times', () => {
  const one = (bucket: number, seconds: number, recorded = 1) => ({ bucket, recorded, seconds: seconds * recorded });

  test('are exact for few intros', () => {
    expect(recordingTimes([one(3, 60), one(1, 20), one(9, 600)])).toEqual({ median_ms: 60_000, p90_ms: 600_000 });
    expect(recordingTimes([one(1, 20)])).toEqual({ median_ms: 20_000, p90_ms: 20_000 });
  });

  test('merge buckets of several touchpoints', () => {
    const times = recordingTimes([one(5, 100, 4), one(5, 110, 4), one(8, 900, 1)]);
    expect(times).toEqual({ median_ms: 105_000, p90_ms: 900_000 });
  });

  test('are null when nothing was recorded', () => {
    expect(recordingTimes([{ bucket: null, recorded: 0, seconds: null }])).toEqual({ median_ms: null, p90_ms: null });
  });
});

describe('what needs attention', () => {
  const NOW = new Date('2026-03-09T12:00:00Z');
  const CARRIER: OverviewIssue = { kind: 'carrier', channel: 'text', status: 'unset' };
  const EMAIL: OverviewIssue = { kind: 'shared_email', email: 'a@b.example', amount: 2 };
  const intro = (problem: IntroProblem, at: string, more: { due?: string; member?: string } = {}): AttentionIntro => ({
    ...{ kind: 'intro', id: `${problem} ${at}`, problem, at: `2026-03-${at}:00Z` },
    expires_at: more.due === undefined ? null : `2026-03-${more.due}:00Z`,
    member: { id: more.member ?? 'mem_1', first_name: 'Ana', last_name: 'Ng' },
    recipient: { first_name: 'Dana', last_name: null, phone: '+14155550123' },
    ...{ reason: null, code: null, message: null, recipient_url: null, amount: 1 },
  });
  const [declined, unsent, reply] = [
    intro('declined', '08T10:00', { due: '20T10:00' }),
    intro('not_sent', '07T10:00'),
    intro('reply_waiting', '06T10:00'),
  ];
  const urgent = intro('reply_waiting', '09T10:00', { due: '10T11:00' });
  const [ana, anaLater, bo] = [
    intro('member_not_reached', '05T10:00'),
    intro('member_not_reached', '08T10:00'),
    intro('member_not_reached', '06T10:00', { member: 'mem_2' }),
  ];

  test.each([
    ['is nothing', [], [], []],
    ['is ordered by problem', [reply, unsent, declined], [], [declined, unsent, reply]],
    ['starts with what expires within a day', [reply, declined, urgent], [], [urgent, declined, reply]],
    ['has the oldest first', [intro('not_sent', '08T10:00'), unsent], [], [unsent, intro('not_sent', '08T10:00')]],
    ['starts with a carrier, and ends with the setup', [declined], [EMAIL, CARRIER], [CARRIER, declined, EMAIL]],
    ['has one line for each member who was not reached', [anaLater, bo, ana], [], [{ ...ana, amount: 2 }, bo]],
  ] as const)('%s', (_name, intros, issues, expected) => {
    expect(orderAttention(intros, issues, NOW)).toEqual(expected);
  });
});
