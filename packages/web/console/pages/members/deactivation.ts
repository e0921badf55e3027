import type { ConsoleBody, MemberIntro, TeamMember } from '@foreword/contract';

export type ToRecordAction = 'reassign' | 'cancel' | 'leave';
export type RecordedAction = 'cancel' | 'leave';

/** The choices made in the dialog. */
export interface Deactivation {
  readonly toRecord: ToRecordAction;
  readonly to: TeamMember | null;
  readonly recorded: RecordedAction;
  /** Intros with their own choice. */
  readonly each: Readonly<Record<string, { readonly action: ToRecordAction; readonly to: TeamMember | null }>>;
  readonly replacePages: boolean;
}

export const INITIAL: Deactivation = { toRecord: 'leave', to: null, recorded: 'leave', each: {}, replacePages: false };

/** Where a new member still has to be chosen: ids of intros, or `all`. */
export function listMissing(deactivation: Deactivation, open: readonly MemberIntro[]): readonly string[] {
  const waiting = open.filter(({ status }) => status === 'requested');
  const forAll =
    deactivation.toRecord === 'reassign' &&
    deactivation.to === null &&
    waiting.some(({ id }) => !deactivation.each[id]);
  const own = Object.entries(deactivation.each).filter(([, { action, to }]) => action === 'reassign' && to === null);
  return [...(forAll ? ['all'] : []), ...own.map(([id]) => id)];
}

export function toBody({
  toRecord,
  to,
  recorded,
  each,
  replacePages,
}: Deactivation): ConsoleBody<'POST /members/:id/deactivate'> {
  // When each intro has its own choice, no member needs to be chosen for the rest.
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
