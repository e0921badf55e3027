import type { ConsoleBody, MemberIntro, TeamMember, TeamMemberDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { RowText } from '../../parts/display.tsx';
import { Checkbox, Field, More, RadioGroup, SelectField } from '../../parts/form.tsx';
import { useAction } from '../../queries.ts';
import { DEACTIVATE } from './texts.ts';

type ToRecordAction = 'reassign' | 'cancel' | 'leave';
type RecordedAction = 'cancel' | 'leave';

/** The choices made in the dialog. */
interface Deactivation {
  readonly toRecord: ToRecordAction;
  readonly to: TeamMember | null;
  readonly recorded: RecordedAction;
  /** Intros with their own choice. */
  readonly each: Readonly<Record<string, { readonly action: ToRecordAction; readonly to: TeamMember | null }>>;
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
  open: boolean;
  onClose: () => void;
}

/** Deactivates a member and decides what happens to their open intros; for a deactivated member, only the latter. */
export function DeactivateDialog({ member, open, onClose }: DeactivateDialogProps) {
  const [draft, setDeactivation] = useState<Deactivation>(INITIAL);
  const [isSubmitted, setSubmitted] = useState(false);
  const name = formatName(member);
  const colleagues = useColleagues(member.id, '', open);
  const isAlone = colleagues.data?.length === 0;
  const deactivation: Deactivation = isAlone && draft.toRecord === 'reassign' ? { ...draft, toRecord: 'leave' } : draft;
  const close = () => {
    onClose();
    setDeactivation(INITIAL);
    setSubmitted(false);
    deactivate.reset();
  };
  const deactivate = useAction({
    run: () => call('POST /members/{id}/deactivate', { params: { id: member.id }, body: toBody(deactivation) }),
    topics: ['members', 'intros'],
    showsFailure: true,
    done: ({ intros }) => DEACTIVATE.done(name, intros),
    onDone: close,
  });
  const missing = listMissing(deactivation, member.open_intros);
  const confirm = () => {
    setSubmitted(true);
    if (missing.length === 0) deactivate.mutate();
  };
  const change = (next: Partial<Deactivation>) => setDeactivation((before) => ({ ...before, ...next }));
  return (
    <FormDialog
      open={open}
      onClose={close}
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
          <MemberChoice value={deactivation.to} onChange={(to) => change({ to })} except={member.id} />
        </Field>
      )}
      {waiting.length > 1 && (
        <More label={DEACTIVATE.eachTitle}>
          <ul className="list">
            {waiting.map((intro) => (
              <OneIntro
                key={intro.id}
                intro={intro}
                except={member.id}
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
  except: string;
  isMissing: boolean;
}

const ONE = [
  { value: 'all' as const, label: DEACTIVATE.sameAsAll },
  ...(['reassign', 'cancel', 'leave'] as const).map((value) => ({ value, label: DEACTIVATE.oneAction[value] })),
];

function OneIntro({ intro, except, deactivation, change, isMissing }: OneIntroProps) {
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
          <MemberChoice value={own.to} onChange={(to) => set({ action: 'reassign', to })} except={except} />
        </Field>
      )}
    </li>
  );
}

const MAX_OPTIONS = 20;

/** The active members except one; the search runs on the server. */
function useColleagues(except: string, q: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['members', 'choice', q],
    queryFn: ({ signal }) =>
      call('GET /members', { query: { active: true, limit: MAX_OPTIONS, ...(q !== '' && { q }) } }, signal),
    placeholderData: (earlier) => earlier,
    select: ({ members }) => members.filter(({ id }) => id !== except),
  });
}

interface MemberChoiceProps {
  value: TeamMember | null;
  onChange: (member: TeamMember | null) => void;
  /** The id of the member to leave out. */
  except: string;
}

/** Picks one of the active members. */
function MemberChoice({ value, onChange, except }: MemberChoiceProps) {
  const [q, setQ] = useState('');
  const query = useColleagues(except, q);
  return (
    <Combobox
      items={query.data ?? []}
      value={value}
      onChange={onChange}
      keyOf={({ id }) => id}
      labelOf={formatName}
      render={(member) => <RowText main={formatName(member)}>{member.title ?? member.email}</RowText>}
      onSearch={setQ}
      placeholder={DEACTIVATE.choose}
      searchLabel={DEACTIVATE.search}
      busy={query.isFetching}
    />
  );
}
