import type { ConsoleBody, MemberIntro, TeamMemberDetail } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Checkbox, Field, More, RadioGroup, SelectField } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { MemberChoice, type Person, useMemberSearch } from '../intros/choose-member.tsx';
import { DEACTIVATE } from './texts.ts';

type ToRecordAction = 'reassign' | 'cancel' | 'leave';
type RecordedAction = 'cancel' | 'leave';

/** The choices made in the dialog. */
interface Deactivation {
  readonly toRecord: ToRecordAction;
  readonly to: Person | null;
  readonly recorded: RecordedAction;
  /** Intros with their own choice. */
  readonly each: Readonly<Record<string, { readonly action: ToRecordAction; readonly to: Person | null }>>;
  readonly replacePages: boolean;
}

const INITIAL: Deactivation = { toRecord: 'reassign', to: null, recorded: 'leave', each: {}, replacePages: false };

/** Where a new member still has to be chosen: ids of intros, or `all`. */
function listMissing(deactivation: Deactivation, open: readonly MemberIntro[]): readonly string[] {
  const waiting = open.filter(({ status }) => status === 'requested');
  const forAll =
    deactivation.toRecord === 'reassign' &&
    deactivation.to === null &&
    waiting.some(({ id }) => !deactivation.each[id]);
  const own = Object.entries(deactivation.each).filter(([, { action, to }]) => action === 'reassign' && to === null);
  return [...(forAll ? ['all'] : []), ...own.map(([id]) => id)];
}

function toBody({
  toRecord,
  to,
  recorded,
  each,
  replacePages,
}: Deactivation): ConsoleBody<'POST /members/{id}/deactivate'> {
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

interface DeactivateDialogProps {
  member: TeamMemberDetail;
  onClose: () => void;
}

/** Deactivates a member and decides what happens to their open intros; for a deactivated member, only the latter. */
export function DeactivateDialog({ member, onClose }: DeactivateDialogProps) {
  const [draft, setDeactivation] = useState<Deactivation>(INITIAL);
  const [isSubmitted, setSubmitted] = useState(false);
  const name = formatName(member);
  const colleagues = useMemberSearch('', { isActive: true, exceptId: member.id });
  const isAlone = colleagues.data?.length === 0;
  const deactivation: Deactivation = isAlone && draft.toRecord === 'reassign' ? { ...draft, toRecord: 'leave' } : draft;
  const deactivate = useAction({
    run: () => call('POST /members/{id}/deactivate', { params: { id: member.id }, body: toBody(deactivation) }),
    topics: ['members', 'intros'],
    showsFailure: true,
    done: ({ intros }) => DEACTIVATE.done(name, intros),
    onDone: onClose,
  });
  const missing = listMissing(deactivation, member.open_intros);
  const confirm = () => {
    setSubmitted(true);
    if (missing.length === 0) deactivate.mutate();
  };
  const change = (next: Partial<Deactivation>) => setDeactivation((before) => ({ ...before, ...next }));
  return (
    <FormDialog
      onClose={onClose}
      title={member.active ? DEACTIVATE.title(name) : DEACTIVATE.settleTitle(name)}
      lead={member.active ? DEACTIVATE.lead : DEACTIVATE.settleLead}
      wide
      submit={member.active ? DEACTIVATE.action : DEACTIVATE.settleAction}
      kind={member.active ? 'danger' : 'primary'}
      action={deactivate}
      onSubmit={confirm}
    >
      <OpenIntros
        member={member}
        deactivation={deactivation}
        change={change}
        missing={isSubmitted ? missing : []}
        isAlone={isAlone}
      />
      {member.live_pages.count > 0 && member.pages_replaced_at === null && (
        <Checkbox
          label={DEACTIVATE.pages}
          hint={DEACTIVATE.pagesHint(member.live_pages)}
          checked={deactivation.replacePages}
          onChange={(replacePages) => change({ replacePages })}
        />
      )}
    </FormDialog>
  );
}

interface OpenIntrosProps {
  member: TeamMemberDetail;
  deactivation: Deactivation;
  change: (next: Partial<Deactivation>) => void;
  missing: readonly string[];
  /** No other active member exists, so nothing can be reassigned. */
  isAlone: boolean;
}

const TO_RECORD = (['reassign', 'cancel', 'leave'] as const).map((value) => ({
  value,
  label: DEACTIVATE.actions[value],
  ...(value === 'reassign' && { hint: DEACTIVATE.reassignHint }),
  ...(value === 'leave' && { hint: DEACTIVATE.leaveHint }),
  ...(value === 'cancel' && { hint: DEACTIVATE.cancelHint }),
}));
const RECORDED = (['leave', 'cancel'] as const).map((value) => ({ value, label: DEACTIVATE.actions[value] }));

function OpenIntros({ member, deactivation, change, missing, isAlone }: OpenIntrosProps) {
  const waiting = member.open_intros.filter(({ status }) => status === 'requested');
  const recorded = member.open_intros.length - waiting.length;
  if (member.open_intros.length === 0) return <p className="lead">{DEACTIVATE.noneOpen}</p>;
  return (
    <>
      {waiting.length > 0 && (
        <Field label={DEACTIVATE.toRecord({ count: waiting.length, at_most: member.open_count.at_most })} group>
          <RadioGroup
            value={deactivation.toRecord}
            options={isAlone ? TO_RECORD.filter(({ value }) => value !== 'reassign') : TO_RECORD}
            onChange={(toRecord) => change({ toRecord })}
          />
        </Field>
      )}
      {waiting.length > 0 && deactivation.toRecord === 'reassign' && (
        <Field label={DEACTIVATE.to} error={missing.includes('all') ? DEACTIVATE.chooseFirst : undefined}>
          <MemberChoice value={deactivation.to} onChange={(to) => change({ to })} exceptId={member.id} />
        </Field>
      )}
      {waiting.length > 1 && (
        <More label={DEACTIVATE.eachTitle}>
          <ul className="list">
            {waiting.map((intro) => (
              <OneIntro
                key={intro.id}
                intro={intro}
                exceptId={member.id}
                deactivation={deactivation}
                change={change}
                isMissing={missing.includes(intro.id)}
              />
            ))}
          </ul>
        </More>
      )}
      {recorded > 0 && (
        <Field label={DEACTIVATE.recorded(recorded)} hint={DEACTIVATE.recordedHint} group>
          <RadioGroup
            value={deactivation.recorded}
            options={RECORDED}
            onChange={(next) => change({ recorded: next })}
          />
        </Field>
      )}
    </>
  );
}

interface OneIntroProps extends Pick<OpenIntrosProps, 'deactivation' | 'change'> {
  intro: MemberIntro;
  exceptId: string;
  isMissing: boolean;
}

const ONE = [
  { value: 'all' as const, label: DEACTIVATE.sameAsAll },
  ...(['reassign', 'cancel', 'leave'] as const).map((value) => ({ value, label: DEACTIVATE.oneAction[value] })),
];

function OneIntro({ intro, exceptId, deactivation, change, isMissing }: OneIntroProps) {
  const own = deactivation.each[intro.id];
  const set = (next: Deactivation['each'][string] | undefined) => {
    const { [intro.id]: _before, ...others } = deactivation.each;
    change({ each: next === undefined ? others : { ...others, [intro.id]: next } });
  };
  return (
    <li className="list-row entry fields">
      <SelectField
        label={DEACTIVATE.actionFor(intro.recipient_name)}
        value={own?.action ?? 'all'}
        options={ONE}
        onChange={(action) => set(action === 'all' ? undefined : { action, to: own?.to ?? null })}
      />
      {own?.action === 'reassign' && (
        <Field label={DEACTIVATE.toFor(intro.recipient_name)} error={isMissing ? DEACTIVATE.chooseFirst : undefined}>
          <MemberChoice value={own.to} onChange={(to) => set({ action: 'reassign', to })} exceptId={exceptId} />
        </Field>
      )}
    </li>
  );
}
