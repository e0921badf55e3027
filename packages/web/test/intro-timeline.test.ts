import type { ConsoleIntro, TimelineStep } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { collapseSteps, findActor } from '../console/pages/intros/timeline-steps.ts';
import { groupByDay } from '../console/parts/days.ts';

const ANA = { id: 'mem_ana', first_name: 'Ana', last_name: 'Ng' };
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
  const intro: Pick<ConsoleIntro, 'member' | 'people' | 'reassignments'> = {
    member: BEN,
    people: [OLIVE, ANA, BEN],
    reassignments: [{ from: ANA, to: BEN, by: OLIVE, at: '2026-03-02T17:00:00Z' }],
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
