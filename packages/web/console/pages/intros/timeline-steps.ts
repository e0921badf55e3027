import type { ConsoleIntro, TimelineStep } from '@foreword/contract';

type Person = ConsoleIntro['member'];
type Story = Pick<ConsoleIntro, 'member' | 'people' | 'reassignments'>;

const REPEATED: readonly TimelineStep['type'][] = ['opened_by_member', 'opened'];

const isSame = (a: TimelineStep, b: TimelineStep | undefined): boolean =>
  b !== undefined && a.type === b.type && a.detail?.member === b.detail?.member;

/** Keeps one step for how far the video was watched, and one of repeated openings. */
export function collapseSteps(steps: readonly TimelineStep[]): readonly TimelineStep[] {
  const lastWatched = steps.findLast(({ type }) => type === 'watched');
  return steps
    .filter((step) => step.type !== 'watched' || step === lastWatched)
    .filter((step, at, kept) => !REPEATED.includes(step.type) || !isSame(step, kept[at - 1]));
}

export const findPerson = ({ member, people }: Story, id: unknown): Person | undefined =>
  [member, ...people].find((person) => person.id === id);

/** The member whose intro it was at this time. */
const memberAt = ({ member, reassignments }: Story, at: string): Person =>
  reassignments.find((one) => Date.parse(one.at) > Date.parse(at))?.from ?? member;

/** The person who caused a step: not always the member of the intro, because owners and managers also act on it. */
export function findActor(story: Story, { cause, detail, at, type }: TimelineStep): Person | undefined {
  if (cause !== 'member') return undefined;
  if (detail?.member !== undefined) return findPerson(story, detail.member);
  return type === 'sent' ? undefined : memberAt(story, at);
}
