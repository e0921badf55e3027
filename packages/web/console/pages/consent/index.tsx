/** Opt-outs. */

import type { ConsoleConsent, ConsoleIntroRow } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { fieldProblem } from '../../failure.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input } from '../../parts/input.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Moment } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { PARTS } from '../../texts/common.ts';
import { CONSENT } from '../../texts/consent.ts';

const ASKED_BY_MAX_LENGTH = 100;

type Recipient = ConsoleIntroRow['recipient'];

const useConsent = (phone: string) =>
  useQuery({
    queryKey: ['intros', 'consent', phone],
    queryFn: ({ signal }) => call('GET /consent', { query: { phone } }, signal),
    // An erased recipient has no number.
    enabled: phone !== '',
  });

interface AllowProps {
  recipient: Recipient;
  open: boolean;
  onClose: () => void;
}

function AllowDialog({ recipient, open, onClose }: AllowProps) {
  const [askedBy, setAskedBy] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const form = useId();
  const name = formatName(recipient);
  const allow = useAction({
    run: () => call('POST /consent/allow', { body: { phone: recipient.phone, asked_by: askedBy.trim() } }),
    topics: ['intros'],
    showsFailure: true,
    done: CONSENT.done(name),
    onDone: onClose,
  });
  const isMissing = isSubmitted && askedBy.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (askedBy.trim() !== '' && !allow.isPending) allow.mutate();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || allow.isPending || onClose()}
      title={CONSENT.dialogTitle(name)}
      lead={CONSENT.dialogLead(name)}
      actions={
        <>
          <Button kind="quiet" onClick={onClose}>
            {PARTS.cancel}
          </Button>
          <Button type="submit" form={form} busy={allow.isPending}>
            {CONSENT.confirm}
          </Button>
        </>
      }
    >
      <form id={form} className="form" noValidate onSubmit={submit}>
        <Field
          label={CONSENT.askedBy}
          hint={CONSENT.askedByHint(recipient.first_name)}
          error={isMissing ? CONSENT.askedByMissing : fieldProblem(allow.error, 'asked_by')}
        >
          <Input maxLength={ASKED_BY_MAX_LENGTH} value={askedBy} onChange={setAskedBy} />
        </Field>
        <FormProblem error={allow.error} fields={['asked_by']} />
      </form>
    </Dialog>
  );
}

/** Says that the recipient opted out, and offers to undo it where that can work. */
export function OptOutNotice({ recipient }: { recipient: Recipient }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useConsent(recipient.phone);
  const optOut = data?.opted_out ?? null;
  const name = formatName(recipient);
  return (
    <>
      {optOut !== null && (
        <Notice
          tone="warn"
          title={CONSENT.title(name)}
          action={
            optOut.can_be_undone && (
              <Button kind="quiet" small onClick={() => setOpen(true)}>
                {CONSENT.allow}
              </Button>
            )
          }
        >
          {optOut.can_be_undone ? CONSENT.canAllow(name) : CONSENT.onlyStart(name)}
        </Notice>
      )}
      <AllowDialog recipient={recipient} open={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

const Change = ({ change }: { change: ConsoleConsent['history'][number] }) => (
  <li className="intro-step">
    <span>{CONSENT.change(change)}</span>
    <span className="intro-step-more">
      <Moment at={change.at} />
      {change.by !== null && ` · ${CONSENT.by(formatName(change.by))}`}
      {change.said !== null && ` · ${CONSENT.said(change.said)}`}
    </span>
  </li>
);

/** How the recipient's consent changed; nothing for most recipients, who never opted out. */
export function ConsentHistory({ recipient }: { recipient: Recipient }) {
  const { data } = useConsent(recipient.phone);
  if (data === undefined || data.history.length === 0) return null;
  return (
    <Card title={CONSENT.history}>
      <ol className="intro-steps">
        {data.history.map((change) => (
          <Change key={`${change.kind} ${change.at}`} change={change} />
        ))}
      </ol>
    </Card>
  );
}
