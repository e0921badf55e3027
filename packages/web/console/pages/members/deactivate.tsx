import type { TeamMemberDetail } from '@foreword/contract';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { FieldsButton } from '../../parts/actions.tsx';
import { Field } from '../../parts/form.tsx';
import { MemberChoice, type Person } from '../intros/choose-member.tsx';
import { formatCapped, MEMBER } from './texts.ts';

const DEACTIVATE = {
  lead: 'They are signed out everywhere and get no new intros. Sent videos stay online. You can reactivate them later.',
  open: (count: { count: number; at_most: number }) => formatCapped(count, 'open intro', 'open intros'),
  choices: { reassign: 'Reassign', cancel: 'Cancel them', keep: 'Leave them open' },
  hints: {
    reassign: 'Their new member is notified. Recorded intros stay, because the member appears in the video.',
    cancel: 'Their links stop working.',
    keep: 'The recording links keep working.',
  },
  to: 'Reassign to',
} as const;

const CHOICES = ['reassign', 'cancel', 'keep'] as const;
const OPTIONS = CHOICES.map((value) => ({
  ...{ value, label: DEACTIVATE.choices[value], hint: DEACTIVATE.hints[value] },
}));

interface Deactivation {
  readonly openIntros: (typeof CHOICES)[number];
  readonly to: Person | null;
}

/** Deactivates a member and decides what happens to their open intros. */
export function DeactivateButton({ member }: { member: TeamMemberDetail }) {
  const { id, open_count: open } = member;
  const name = formatName(member);
  return (
    <FieldsButton<Deactivation, unknown>
      button={{ label: MEMBER.deactivate }}
      title={`Deactivate ${name}`}
      lead={`${DEACTIVATE.lead} ${open.count === 0 ? MEMBER.openNone : ''}`}
      submit={MEMBER.deactivate}
      kind="danger"
      list={({ openIntros }) => [
        ...(open.count === 0
          ? []
          : [{ name: 'openIntros', label: DEACTIVATE.open(open), kind: 'radios', options: OPTIONS } as const]),
        ...(openIntros === 'reassign'
          ? [{ name: 'to', label: DEACTIVATE.to, missing: 'Choose a member.' } as const]
          : []),
      ]}
      initial={{ openIntros: open.count === 0 ? 'keep' : 'reassign', to: null }}
      controls={{
        to: ({ value, error, onChange }) => (
          <Field label={DEACTIVATE.to} error={value === null ? error : undefined}>
            <MemberChoice value={value} onChange={onChange} exceptId={id} />
          </Field>
        ),
      }}
      run={({ openIntros, to }, key) => {
        const open_intros = openIntros === 'reassign' ? { reassign_to: to?.id ?? '' } : openIntros;
        return call('POST /v1/members/{id}/deactivate', { params: { id }, body: { open_intros }, key });
      }}
      topics={['members', 'intros']}
      done={`${name} was deactivated.`}
    />
  );
}
