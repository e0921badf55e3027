import type { ConsoleBody, MemberIntro, TeamMemberDetail } from '@foreword/contract';
import { ApiFailure, call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { FieldsDialog } from '../../parts/actions.tsx';
import { type Bound, Field, type FieldInfo, More, RadioGroup, SelectField } from '../../parts/form.tsx';
import { MemberChoice, type Person, useMemberSearch } from '../intros/choose-member.tsx';
import { DEACTIVATE, MEMBER } from './texts.ts';

type ToRecordAction = 'reassign' | 'cancel' | 'leave';

interface OwnChoice {
  readonly action: ToRecordAction;
  readonly to: Person | null;
}

/** The choices made in the dialog. */
interface Deactivation {
  readonly toRecord: ToRecordAction;
  readonly to: Person | null;
  /** Intros with their own choice. */
  readonly each: Readonly<Record<string, OwnChoice>>;
  readonly recorded: 'cancel' | 'leave';
  readonly replacePages: boolean;
}

const INITIAL: Deactivation = { toRecord: 'reassign', to: null, each: {}, recorded: 'leave', replacePages: false };

const TO_RECORD = (['reassign', 'cancel', 'leave'] as const).map((value) => ({
  ...{ value, label: DEACTIVATE.actions[value], hint: DEACTIVATE.hints[value] },
}));
const RECORDED = (['leave', 'cancel'] as const).map((value) => ({ value, label: DEACTIVATE.actions[value] }));
const ONE = [
  { value: 'all' as const, label: DEACTIVATE.sameAsAll },
  ...(['reassign', 'cancel', 'leave'] as const).map((value) => ({ value, label: DEACTIVATE.oneAction[value] })),
];

const lacksMember = ({ action, to }: OwnChoice): boolean => action === 'reassign' && to === null;

/** Rejects choices to reassign that name no member, all at once. */
function requireMembers({ toRecord, to, each }: Deactivation, waiting: readonly MemberIntro[]): void {
  const message = DEACTIVATE.chooseFirst;
  const forAll = lacksMember({ action: toRecord, to }) && waiting.some(({ id }) => !each[id]);
  const problems = [
    ...(forAll ? [{ field: 'to', message }] : []),
    ...(Object.values(each).some(lacksMember) ? [{ field: 'each', message }] : []),
  ];
  const [first] = problems;
  if (first !== undefined) throw new ApiFailure({ status: 422, code: 'validation_failed', ...first, problems });
}

type Body = ConsoleBody<'POST /members/{id}/deactivate'>;

const toBody = ({ toRecord, to, recorded, each, replacePages }: Deactivation): Body => ({
  // When each intro has its own choice, no member needs to be chosen for the rest.
  to_record: lacksMember({ action: toRecord, to }) ? 'leave' : toRecord,
  recorded,
  replace_pages: replacePages,
  ...(toRecord === 'reassign' && to !== null && { to: to.id }),
  each: Object.entries(each).map(([id, { action, to: own }]) => ({
    ...{ id, action },
    ...(action === 'reassign' && own !== null && { to: own.id }),
  })),
});

/** Deactivates a member and decides what happens to their open intros; for a deactivated member, only the latter. */
export function DeactivateDialog({ member, onClose }: { member: TeamMemberDetail; onClose: () => void }) {
  const { id, active, open_intros: open, open_count: count, live_pages: pages } = member;
  const name = formatName(member);
  const waiting = open.filter(({ status }) => status === 'requested');
  const recorded = open.length - waiting.length;
  const colleagues = useMemberSearch('', { isActive: true, exceptId: id });
  const isAlone = colleagues.data?.length === 0;
  /** Without another active member, nothing can be reassigned. */
  const possible = (action: ToRecordAction) => (isAlone && action === 'reassign' ? 'leave' : action);
  const list = ({ toRecord }: Deactivation): readonly FieldInfo<Deactivation>[] => [
    { name: 'toRecord', label: DEACTIVATE.toRecord({ count: waiting.length, at_most: count.at_most }) },
    ...(possible(toRecord) === 'reassign' ? [{ name: 'to', label: DEACTIVATE.to } as const] : []),
    ...(waiting.length > 1 ? [{ name: 'each', label: DEACTIVATE.eachTitle } as const] : []),
  ];
  const recordedField: FieldInfo<Deactivation> = {
    ...{ name: 'recorded', label: DEACTIVATE.recorded(recorded), hint: DEACTIVATE.recordedHint, kind: 'radios' },
    options: RECORDED,
  };
  const pagesField: FieldInfo<Deactivation> = {
    ...{ name: 'replacePages', label: DEACTIVATE.pages, hint: DEACTIVATE.pagesHint(pages), kind: 'check' },
  };
  return (
    <FieldsDialog<Deactivation, { readonly intros: Parameters<typeof DEACTIVATE.done>[1] }>
      onClose={onClose}
      title={active ? DEACTIVATE.title(name) : DEACTIVATE.settleTitle(name)}
      lead={`${active ? DEACTIVATE.lead : DEACTIVATE.settleLead} ${open.length === 0 ? MEMBER.openNone : ''}`}
      wide
      submit={active ? MEMBER.deactivate : DEACTIVATE.settleAction}
      kind={active ? 'danger' : 'primary'}
      list={(values) => [
        ...(waiting.length > 0 ? list(values) : []),
        ...(recorded > 0 ? [recordedField] : []),
        ...(pages.count > 0 && member.pages_replaced_at === null ? [pagesField] : []),
      ]}
      initial={INITIAL}
      controls={{
        toRecord: ({ value, onChange }) => (
          <Field label={DEACTIVATE.toRecord({ count: waiting.length, at_most: count.at_most })} group>
            <RadioGroup
              value={possible(value)}
              options={TO_RECORD.filter((option) => possible(option.value) === option.value)}
              onChange={onChange}
            />
          </Field>
        ),
        to: ({ value, error, onChange }) => (
          <Field label={DEACTIVATE.to} error={value !== null && error === DEACTIVATE.chooseFirst ? undefined : error}>
            <MemberChoice value={value} onChange={onChange} exceptId={id} />
          </Field>
        ),
        each: (bound) => <EachIntro {...bound} intros={waiting} exceptId={id} />,
      }}
      run={(values) => {
        const chosen = { ...values, toRecord: possible(values.toRecord) };
        requireMembers(chosen, waiting);
        return call('POST /members/{id}/deactivate', { params: { id }, body: toBody(chosen) });
      }}
      topics={['members', 'intros']}
      done={({ intros }) => DEACTIVATE.done(name, intros)}
    />
  );
}

interface EachProps extends Bound<Deactivation['each']> {
  intros: readonly MemberIntro[];
  exceptId: string;
}

/** Choices for single intros. */
const EachIntro = ({ value: each, error, onChange, intros, exceptId }: EachProps) => (
  <More label={DEACTIVATE.eachTitle}>
    <ul className="list">
      {intros.map(({ id, recipient_name: recipient }) => {
        const { [id]: own, ...others } = each;
        return (
          <li key={id} className="list-row entry fields">
            <SelectField
              label={DEACTIVATE.actionFor(recipient)}
              value={own?.action ?? 'all'}
              options={ONE}
              onChange={(action) =>
                onChange(action === 'all' ? others : { ...each, [id]: { action, to: own?.to ?? null } })
              }
            />
            {own?.action === 'reassign' && (
              <Field label={DEACTIVATE.toFor(recipient)} error={lacksMember(own) ? error : undefined}>
                <MemberChoice
                  value={own.to}
                  onChange={(to) => onChange({ ...each, [id]: { action: 'reassign', to } })}
                  exceptId={exceptId}
                />
              </Field>
            )}
          </li>
        );
      })}
    </ul>
  </More>
);
