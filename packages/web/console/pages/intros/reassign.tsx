import type { ConsoleIntro } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem, otherProblem } from '../../failure.ts';
import { formatName } from '../../format.ts';
import { Field } from '../../parts/field.tsx';
import { useAction } from '../../queries.ts';
import { ACTIONS } from '../../texts/intros.ts';
import { ActionDialog } from './action-dialog.tsx';
import { MemberChoice, type Person } from './member-choice.tsx';

interface ReassignProps {
  intro: ConsoleIntro;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function Reassign({ intro, open, onOpenChange }: ReassignProps) {
  const [chosen, setChosen] = useState<Person | null>(null);
  const action = useAction({
    run: (member: Person) =>
      call('POST /intros/:id/reassign', { params: { id: intro.id }, body: { member: member.id } }),
    topics: ['intros'],
    done: (_, member) => ACTIONS.reassigned(formatName(member)),
    onDone: () => onOpenChange(false),
    showsFailure: true,
  });
  return (
    <ActionDialog
      open={open}
      onOpenChange={onOpenChange}
      title={ACTIONS.reassignTitle}
      lead={ACTIONS.reassignLead(formatName(intro.member))}
      label={ACTIONS.reassign}
      onConfirm={() => chosen !== null && action.mutate(chosen)}
      disabled={chosen === null}
      busy={action.isPending}
      problem={otherProblem(action.error, ['member'])}
    >
      <Field label={ACTIONS.reassignTo} error={fieldProblem(action.error, 'member')}>
        {/* Enabled only when open: members also see this page, but may not list the team. */}
        <MemberChoice value={chosen} onChange={setChosen} exceptId={intro.member.id} enabled={open} />
      </Field>
    </ActionDialog>
  );
}
