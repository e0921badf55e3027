import type { ConsoleIntro } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem, otherProblem } from '../../failure.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useAction } from '../../queries.ts';
import { PARTS } from '../../texts/common.ts';
import { ACTIONS } from '../../texts/intros.ts';
import { useMemberSearch } from './filters.tsx';

interface Person {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
}

interface ReassignProps {
  intro: ConsoleIntro;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function Reassign({ intro, open, onOpenChange }: ReassignProps) {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<Person | null>(null);
  // Enabled only when open: members also see this page, but may not list the team.
  const members = useMemberSearch(q.trim(), { active: true, enabled: open });
  const action = useAction({
    run: (member: Person) =>
      call('POST /intros/:id/reassign', { params: { id: intro.id }, body: { member: member.id } }),
    topics: ['intros'],
    done: (_, member) => ACTIONS.reassigned(formatName(member)),
    onDone: () => onOpenChange(false),
    showsFailure: true,
  });
  const problem = otherProblem(action.error, ['member']);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => action.isPending || onOpenChange(next)}
      title={ACTIONS.reassignTitle}
      lead={ACTIONS.reassignLead(formatName(intro.member))}
      actions={
        <>
          <Button kind="quiet" onClick={() => onOpenChange(false)}>
            {PARTS.cancel}
          </Button>
          <Button
            busy={action.isPending}
            disabled={chosen === null}
            onClick={() => chosen !== null && action.mutate(chosen)}
          >
            {ACTIONS.reassign}
          </Button>
        </>
      }
    >
      <Field label={ACTIONS.reassignTo} error={fieldProblem(action.error, 'member')}>
        <Combobox<Person>
          items={(members.data?.members ?? []).filter(({ id }) => id !== intro.member.id)}
          value={chosen}
          onChange={setChosen}
          keyOf={({ id }) => id}
          labelOf={formatName}
          onSearch={setQ}
          placeholder={ACTIONS.reassignChoose}
          searchLabel={ACTIONS.reassignSearch}
          busy={members.isFetching}
        />
      </Field>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
    </Dialog>
  );
}
