import type { ConsoleBody, MemberIntro, TeamMember } from '@foreword/contract';

export type ToRecordAction = 'reassign' | 'cancel' | 'leave';
export type RecordedAction = 'cancel' | 'leave';

/** What is decided so far about the open intros of somebody who leaves. */
export interface Parting {
  readonly toRecord: ToRecordAction;
  readonly to: TeamMember | null;
  readonly recorded: RecordedAction;
  /** Where one goes another way than all. */
  readonly each: Readonly<Record<string, { readonly action: ToRecordAction; readonly to: TeamMember | null }>>;
  readonly replacePages: boolean;
}

export const START: Parting = { toRecord: 'leave', to: null, recorded: 'leave', each: {}, replacePages: false };

/** What is still to be chosen: the ids of intros, or `all`. */
export function listMissing(parting: Parting, open: readonly MemberIntro[]): readonly string[] {
  const waiting = open.filter(({ status }) => status === 'requested');
  const forAll = parting.toRecord === 'reassign' && parting.to === null && waiting.some(({ id }) => !parting.each[id]);
  const own = Object.entries(parting.each).filter(([, { action, to }]) => action === 'reassign' && to === null);
  return [...(forAll ? ['all'] : []), ...own.map(([id]) => id)];
}

export function toBody({
  toRecord,
  to,
  recorded,
  each,
  replacePages,
}: Parting): ConsoleBody<'POST /members/:id/deactivate'> {
  // Each has its own way, so that nobody is needed for the rest.
  const isNamed = toRecord !== 'reassign' || to !== null;
  return {
    to_record: isNamed ? toRecord : 'leave',
    recorded,
    replace_pages: replacePages,
    ...(toRecord === 'reassign' && to !== null && { to: to.id }),
    each: Object.entries(each).map(([id, one]) => ({
      id,
      action: one.action,
      ...(one.action === 'reassign' && one.to !== null && { to: one.to.id }),
    })),
  };
}
