import type { Colleague, Likeness } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { RadioGroup } from '../../parts/choices.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { useAction } from '../../queries.ts';
import { PARTS } from '../../texts/common.ts';
import { LIKENESS } from '../../texts/likeness.ts';

export interface OtherMember {
  readonly id: string;
  readonly name: string;
}

interface WithdrawDialogProps {
  likeness: Likeness;
  /** Null: the signed-in member. */
  member: OtherMember | null;
  open: boolean;
  onClose: () => void;
}

/** Says what will be removed, and decides about the open intros. */
export function WithdrawDialog({ likeness, member, open, onClose }: WithdrawDialogProps) {
  const [choice, setChoice] = useState<'cancel' | 'reassign'>('cancel');
  const [to, setTo] = useState<Colleague | null>(null);
  const [isSubmitted, setSubmitted] = useState(false);
  const { open_intros: openIntros, live_pages: pages, colleagues } = likeness;
  const isMissing = choice === 'reassign' && to === null;
  const withdraw = useAction({
    run() {
      const body = choice === 'reassign' && to !== null ? { to: to.id } : {};
      return member === null
        ? call('POST /home/likeness/withdraw', { body })
        : call('POST /members/:id/likeness/withdraw', { params: { id: member.id }, body });
    },
    topics: ['members', 'intros'],
    showsFailure: true,
    done: LIKENESS.withdrew,
    onDone: onClose,
  });
  const confirm = () => {
    setSubmitted(true);
    if (!isMissing) withdraw.mutate();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || withdraw.isPending || onClose()}
      title={member === null ? LIKENESS.withdrawTitle : LIKENESS.withdrawTitleOf(member.name)}
      lead={LIKENESS.withdrawLead}
      actions={
        <>
          <Button kind="quiet" onClick={onClose}>
            {PARTS.cancel}
          </Button>
          <Button kind="danger" busy={withdraw.isPending} onClick={confirm}>
            {LIKENESS.withdraw}
          </Button>
        </>
      }
    >
      <div className="form">
        {pages.count > 0 && <p>{LIKENESS.pages(pages)}</p>}
        {openIntros.count > 0 && (
          <Field label={LIKENESS.open(openIntros)} group>
            <RadioGroup
              label={LIKENESS.open(openIntros)}
              value={choice}
              onChange={setChoice}
              options={[
                { value: 'cancel', label: LIKENESS.cancel, hint: LIKENESS.cancelHint },
                {
                  value: 'reassign',
                  label: LIKENESS.reassign,
                  hint: LIKENESS.reassignHint,
                  disabled: colleagues.length === 0,
                },
              ]}
            />
          </Field>
        )}
        {choice === 'reassign' && (
          <Field label={LIKENESS.to} error={isSubmitted && isMissing ? LIKENESS.chooseFirst : undefined}>
            <Combobox
              items={colleagues}
              value={to}
              onChange={setTo}
              keyOf={({ id }) => id}
              labelOf={({ name }) => name}
              placeholder={LIKENESS.choose}
              searchLabel={LIKENESS.search}
            />
          </Field>
        )}
        <FormProblem error={withdraw.error} fields={[]} />
      </div>
    </Dialog>
  );
}
