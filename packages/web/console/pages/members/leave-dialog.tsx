import type { MemberIntro, TeamMemberDetail } from '@foreword/contract';
import { useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox, RadioGroup } from '../../parts/choices.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Select } from '../../parts/select.tsx';
import { PARTS } from '../../texts/common.ts';
import { LEAVE } from '../../texts/members.ts';
import { listMissing, type Parting, START, toBody } from './leaving.ts';
import { MemberChoice } from './member-choice.tsx';

interface LeaveDialogProps {
  member: TeamMemberDetail;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Out of the team, with a way for each of their open intros. For one who is out already: what is still open. */
export function LeaveDialog({ member, open, onOpenChange }: LeaveDialogProps) {
  const [parting, setParting] = useState<Parting>(START);
  const [tried, setTried] = useState(false);
  const name = formatName(member);
  const close = () => {
    onOpenChange(false);
    setParting(START);
    setTried(false);
    leave.reset();
  };
  const leave = useAction({
    run: () => call('POST /members/:id/deactivate', { params: { id: member.id }, body: toBody(parting) }),
    topics: ['members', 'intros'],
    showsFailure: true,
    done: ({ intros }) => LEAVE.done(name, intros),
    onDone: close,
  });
  const missing = listMissing(parting, member.open_intros);
  const confirm = () => {
    setTried(true);
    if (missing.length === 0) leave.mutate();
  };
  const change = (next: Partial<Parting>) => setParting((before) => ({ ...before, ...next }));
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? onOpenChange(true) : leave.isPending || close())}
      title={member.active ? LEAVE.title(name) : LEAVE.settleTitle(name)}
      lead={member.active ? LEAVE.lead : LEAVE.settleLead}
      wide
      actions={
        <>
          <Button kind="quiet" onClick={close}>
            {PARTS.cancel}
          </Button>
          <Button kind={member.active ? 'danger' : 'primary'} busy={leave.isPending} onClick={confirm}>
            {member.active ? LEAVE.action : LEAVE.settleAction}
          </Button>
        </>
      }
    >
      <div className="form">
        <OpenIntros member={member} parting={parting} change={change} missing={tried ? missing : []} />
        {member.live_pages.count > 0 && member.pages_replaced_at === null && (
          <Checkbox
            label={LEAVE.pages}
            hint={LEAVE.pagesHint(member.live_pages)}
            checked={parting.replacePages}
            onChange={(replacePages) => change({ replacePages })}
          />
        )}
        <FormProblem error={leave.error} fields={[]} />
      </div>
    </Dialog>
  );
}

interface OpenIntrosProps {
  member: TeamMemberDetail;
  parting: Parting;
  change: (next: Partial<Parting>) => void;
  missing: readonly string[];
}

const TO_RECORD = (['reassign', 'cancel', 'leave'] as const).map((value) => ({
  value,
  label: LEAVE.actions[value],
  ...(value === 'leave' && { hint: LEAVE.leaveHint }),
  ...(value === 'cancel' && { hint: LEAVE.cancelHint }),
}));
const RECORDED = (['leave', 'cancel'] as const).map((value) => ({ value, label: LEAVE.actions[value] }));

function OpenIntros({ member, parting, change, missing }: OpenIntrosProps) {
  const waiting = member.open_intros.filter(({ status }) => status === 'requested');
  const recorded = member.open_intros.length - waiting.length;
  if (member.open_intros.length === 0) return <p className="member-soft">{LEAVE.noneOpen}</p>;
  return (
    <>
      {waiting.length > 0 && (
        <Field label={LEAVE.toRecord({ count: waiting.length, at_most: member.open_count.at_most })} group>
          <RadioGroup value={parting.toRecord} options={TO_RECORD} onChange={(toRecord) => change({ toRecord })} />
        </Field>
      )}
      {waiting.length > 0 && parting.toRecord === 'reassign' && (
        <Field label={LEAVE.to} error={missing.includes('all') ? LEAVE.chooseFirst : undefined}>
          <MemberChoice value={parting.to} onChange={(to) => change({ to })} except={member.id} />
        </Field>
      )}
      {waiting.length > 1 && (
        <details className="leave-each">
          <summary>
            <Icon name="down" />
            {LEAVE.eachTitle}
          </summary>
          <ul>
            {waiting.map((intro) => (
              <OneIntro
                key={intro.id}
                intro={intro}
                except={member.id}
                parting={parting}
                change={change}
                isMissing={missing.includes(intro.id)}
              />
            ))}
          </ul>
        </details>
      )}
      {recorded > 0 && (
        <Field label={LEAVE.recorded(recorded)} hint={LEAVE.recordedHint} group>
          <RadioGroup value={parting.recorded} options={RECORDED} onChange={(next) => change({ recorded: next })} />
        </Field>
      )}
    </>
  );
}

interface OneIntroProps extends Pick<OpenIntrosProps, 'parting' | 'change'> {
  intro: MemberIntro;
  except: string;
  isMissing: boolean;
}

const ONE = [
  { value: 'all' as const, label: LEAVE.sameAsAll },
  ...(['reassign', 'cancel', 'leave'] as const).map((value) => ({ value, label: LEAVE.oneAction[value] })),
];

function OneIntro({ intro, except, parting, change, isMissing }: OneIntroProps) {
  const own = parting.each[intro.id];
  const set = (next: Parting['each'][string] | undefined) => {
    const { [intro.id]: _before, ...others } = parting.each;
    change({ each: next === undefined ? others : { ...others, [intro.id]: next } });
  };
  return (
    <li className="leave-one">
      <Field label={LEAVE.actionFor(intro.recipient_name)}>
        <Select
          value={own?.action ?? 'all'}
          options={ONE}
          onChange={(action) => set(action === 'all' ? undefined : { action, to: own?.to ?? null })}
        />
      </Field>
      {own?.action === 'reassign' && (
        <Field label={LEAVE.toFor(intro.recipient_name)} error={isMissing ? LEAVE.chooseFirst : undefined}>
          <MemberChoice value={own.to} onChange={(to) => set({ action: 'reassign', to })} except={except} />
        </Field>
      )}
    </li>
  );
}
