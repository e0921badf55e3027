import type { Colleague, ConsoleIntro, DeclineReason } from '@foreword/contract';
import { DECLINE_MESSAGE_MAX_LENGTH, DECLINE_REASONS } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem, otherProblem } from '../../failure.ts';
import { RadioGroup } from '../../parts/choices.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Field } from '../../parts/field.tsx';
import { TextArea } from '../../parts/input.tsx';
import { useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { DECLINES } from '../../texts/declines.ts';
import { ActionDialog } from './action-dialog.tsx';

interface DialogProps {
  intro: ConsoleIntro;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The member says why they cannot record their own intro. */
export function Decline({ intro, open, onOpenChange }: DialogProps) {
  const [reason, setReason] = useState<DeclineReason>('not_meeting');
  const [words, setWords] = useState('');
  const message = reason === 'other' ? words.replaceAll(/\s+/g, ' ').trim() : null;
  const action = useAction({
    run: () => call('POST /intros/:id/decline', { params: { id: intro.id }, body: { reason, message } }),
    topics: ['intros'],
    done: DECLINES.done,
    onDone: () => onOpenChange(false),
    showsFailure: true,
  });
  return (
    <ActionDialog
      open={open}
      onOpenChange={onOpenChange}
      title={DECLINES.declineTitle}
      lead={DECLINES.declineLead}
      label={DECLINES.decline}
      onConfirm={() => action.mutate()}
      disabled={message === ''}
      busy={action.isPending}
      problem={otherProblem(action.error, ['message'])}
    >
      <RadioGroup
        label={DECLINES.reason}
        value={reason}
        onChange={setReason}
        options={DECLINE_REASONS.map((value) => ({ value, label: DECLINES.reasons[value] }))}
      />
      {reason === 'other' && (
        <Field
          label={DECLINES.words}
          hint={DECLINES.wordsHint(DECLINE_MESSAGE_MAX_LENGTH)}
          error={fieldProblem(action.error, 'message')}
        >
          <TextArea value={words} onChange={setWords} maxLength={DECLINE_MESSAGE_MAX_LENGTH} />
        </Field>
      )}
    </ActionDialog>
  );
}

/** The member gives their own intro to a colleague. */
export function HandOver({ intro, open, onOpenChange }: DialogProps) {
  const [chosen, setChosen] = useState<Colleague | null>(null);
  const isTeam = useMay('manager');
  const navigate = useNavigate();
  const colleagues = useQuery({
    queryKey: ['members', 'colleagues'],
    queryFn: ({ signal }) => call('GET /colleagues', undefined, signal),
    enabled: open,
  });
  const action = useAction({
    run: (colleague: Colleague) =>
      call('POST /intros/:id/hand-over', { params: { id: intro.id }, body: { member: colleague.id } }),
    topics: ['intros'],
    done: (_, { name }) => DECLINES.handedOverTo(name),
    onDone: () => {
      onOpenChange(false);
      // To a member, the intros of others do not exist.
      if (!isTeam) void navigate({ to: '/home' });
    },
    showsFailure: true,
  });
  return (
    <ActionDialog
      open={open}
      onOpenChange={onOpenChange}
      title={DECLINES.handOverTitle}
      lead={DECLINES.handOverLead}
      label={DECLINES.handOver}
      onConfirm={() => chosen !== null && action.mutate(chosen)}
      disabled={chosen === null}
      busy={action.isPending}
      problem={otherProblem(action.error, ['member']) ?? colleagues.error?.message}
    >
      <Field label={DECLINES.colleague} error={fieldProblem(action.error, 'member')}>
        <Combobox<Colleague>
          items={colleagues.data?.colleagues ?? []}
          value={chosen}
          onChange={setChosen}
          keyOf={({ id }) => id}
          labelOf={({ name }) => name}
          placeholder={DECLINES.choose}
          searchLabel={DECLINES.search}
          busy={colleagues.isFetching}
        />
      </Field>
    </ActionDialog>
  );
}
