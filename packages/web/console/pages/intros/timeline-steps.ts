import type { ConsoleIntro, TimelineStep } from '@foreword/contract';

type Person = ConsoleIntro['member'];
type Story = Pick<ConsoleIntro, 'member' | 'people' | 'timeline'>;

const REPEATED: readonly TimelineStep['type'][] = ['opened_by_member', 'opened'];

const isSame = (a: TimelineStep, b: TimelineStep | undefined): boolean =>
  b !== undefined && a.type === b.type && a.detail?.member === b.detail?.member;

/** Keeps one step for how far the video was watched, and one of repeated openings. */
export function collapseSteps(steps: readonly TimelineStep[]): readonly TimelineStep[] {
  const lastWatched = steps.filter(({ type }) => type === 'watched').at(-1);
  return steps
    .filter((step) => step.type !== 'watched' || step === lastWatched)
    .filter((step, at, kept) => !REPEATED.includes(step.type) || !isSame(step, kept[at - 1]));
}

export const findPerson = ({ member, people }: Story, id: unknown): Person | undefined =>
  [member, ...people].find((person) => person.id === id);

/** The member whose intro it was at this time. */
function memberAt(story: Story, at: string): Person | undefined {
  const next = story.timeline.find((step) => step.type === 'reassigned' && Date.parse(step.at) > Date.parse(at));
  return next === undefined ? story.member : findPerson(story, next.detail?.from);
}

/** The person who caused a step: not always the member of the intro, because owners and managers also act on it. */
export function findActor(story: Story, { cause, detail, at, type }: TimelineStep): Person | undefined {
  if (cause !== 'member') return undefined;
  if (detail?.member !== undefined) return findPerson(story, detail.member);
  return type === 'sent' ? undefined : memberAt(story, at);
}
