import type { TeamMemberDetail } from '@foreword/contract';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { FieldsDialog } from '../../parts/actions.tsx';
import { Field, RadioGroup } from '../../parts/form.tsx';
import { MemberChoice, type Person, useMemberSearch } from '../intros/choose-member.tsx';
import { DEACTIVATE, MEMBER } from './texts.ts';

const CHOICES = ['reassign', 'cancel', 'keep'] as const;

interface Deactivation {
  readonly openIntros: (typeof CHOICES)[number];
  readonly to: Person | null;
}

/** Deactivates a member and decides what happens to their open intros. */
export function DeactivateDialog({ member, onClose }: { member: TeamMemberDetail; onClose: () => void }) {
  const { id, open_count: open } = member;
  const name = formatName(member);
  const colleagues = useMemberSearch('', { isActive: true, exceptId: id });
  // Without another active member, nothing can be reassigned.
  const possible = CHOICES.filter((choice) => choice !== 'reassign' || colleagues.data?.length !== 0);
  const asPossible = (choice: Deactivation['openIntros']) => (possible.includes(choice) ? choice : 'keep');
  const options = possible.map((value) => ({
    ...{ value, label: DEACTIVATE.choices[value], hint: DEACTIVATE.hints[value] },
  }));
  return (
    <FieldsDialog<Deactivation, unknown>
      onClose={onClose}
      title={DEACTIVATE.title(name)}
      lead={`${DEACTIVATE.lead} ${open.count === 0 ? MEMBER.openNone : ''}`}
      submit={MEMBER.deactivate}
      kind="danger"
      list={(values) =>
        open.count === 0
          ? []
          : [
              { name: 'openIntros', label: DEACTIVATE.open(open) },
              ...(asPossible(values.openIntros) === 'reassign'
                ? [{ name: 'to', label: DEACTIVATE.to, missing: DEACTIVATE.chooseFirst } as const]
                : []),
            ]
      }
      initial={{ openIntros: open.count === 0 ? 'keep' : 'reassign', to: null }}
      controls={{
        openIntros: ({ value, onChange }) => (
          <Field label={DEACTIVATE.open(open)} group>
            <RadioGroup value={asPossible(value)} options={options} onChange={onChange} />
          </Field>
        ),
        to: ({ value, error, onChange }) => (
          <Field label={DEACTIVATE.to} error={value === null ? error : undefined}>
            <MemberChoice value={value} onChange={onChange} exceptId={id} />
          </Field>
        ),
      }}
      run={(values, key) => {
        const choice = asPossible(values.openIntros);
        const open_intros = choice === 'reassign' ? { reassign_to: values.to?.id ?? '' } : choice;
        return call('POST /v1/members/{id}/deactivate', { params: { id }, body: { open_intros }, key });
      }}
      topics={['members', 'intros']}
      done={DEACTIVATE.done(name)}
    />
  );
}
