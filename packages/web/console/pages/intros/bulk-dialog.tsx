import type { ConsoleIntroRow } from '@foreword/contract';
import { useState } from 'react';
import { ApiFailure, call } from '../../api.ts';
import { formatCount, formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Field, FormProblem } from '../../parts/form.tsx';
import { Dialog, showToast } from '../../parts/overlays.tsx';
import { useAction } from '../../queries.ts';
import { makeKey } from '../../retry-keys.ts';
import { PARTS } from '../../texts.ts';
import { MemberChoice, type Person } from './choose-member.tsx';
import { ACTIONS } from './texts.ts';

const intros = (count: number): string => formatCount(count, 'intro');

export type BulkAction = 'remind' | 'reassign' | 'cancel';

/** Actions on several intros. */
const BULK = {
  explain: {
    remind:
      'The members are notified now, or in the morning if it is late. A member notified in the last hour gets no reminder.',
    reassign: 'The new member is notified immediately. The old links stop working, and unfinished uploads are lost.',
    cancel: 'Their links stop working, and no more messages are sent. You can’t undo this.',
  },
  skipped: (count: number) =>
    count === 1
      ? 'One selected intro is left out because of its status.'
      : `${count} selected intros are left out because of their status.`,
  confirm: {
    remind: (count: number) => `Send ${formatCount(count, 'reminder')}`,
    reassign: (count: number) => `Reassign ${intros(count)}`,
    cancel: (count: number) => `Cancel ${intros(count)}`,
  },
  done: {
    remind: (count: number) => `${formatCount(count, 'reminder')} scheduled.`,
    reassign: (count: number) => `${intros(count)} reassigned.`,
    cancel: (count: number) => `${intros(count)} cancelled.`,
  },
} as const;

/** As many as a browser sends at the same time anyway. */
const AT_ONCE = 6;

/** `refused`: why the server did not change it. */
interface BulkResult {
  readonly row: ConsoleIntroRow;
  readonly refused: string | null;
}

const isRefusal = (reason: unknown): reason is ApiFailure =>
  reason instanceof ApiFailure && [403, 404, 409, 422].includes(reason.status);

const refusalOf = (request: Promise<unknown>): Promise<string | null> =>
  request.then(
    () => null,
    (reason: unknown) => (isRefusal(reason) ? reason.message : Promise.reject(reason)),
  );

interface BulkDialogProps {
  action: BulkAction;
  /** The selected intros for which the action is possible. */
  rows: readonly ConsoleIntroRow[];
  /** How many other intros are selected. */
  skipped: number;
  onClose: () => void;
  /** At least one intro may have changed. */
  onFinished: () => void;
}

/** Asks first, then shows the progress, and finally lists the intros that did not change. */
export function BulkDialog({ action, rows, skipped, onClose, onFinished }: BulkDialogProps) {
  const [member, setMember] = useState<Person | null>(null);
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [keys] = useState(makeKey);
  const send = ({ id }: ConsoleIntroRow) => {
    const params = { id };
    if (action === 'cancel') return call('POST /v1/intros/{id}/cancel', { params, key: `${keys}:${id}` });
    if (action === 'remind') return call('POST /intros/{id}/remind', { params });
    return call('POST /intros/{id}/reassign', { params, body: { member: member?.id ?? '' } });
  };
  const { isIdle, isPending, isError, error, mutate } = useAction({
    /** Changes the intros that have no result yet, until a request fails. */
    async run() {
      let found = results;
      const left = rows.filter((row) => !found.some((result) => result.row === row));
      const work = async () => {
        for (let row = left.shift(); row !== undefined; row = left.shift()) {
          const refused = await refusalOf(send(row)).catch((reason: unknown) => {
            left.splice(0);
            throw reason;
          });
          found = [...found, { row, refused }];
          setResults(found);
        }
      };
      const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
      return found;
    },
    onDone(found) {
      if (found.some(({ refused }) => refused !== null)) return;
      showToast({ text: BULK.done[action](found.length) });
      onFinished();
    },
    topics: ['intros', 'outbox'],
    showsFailure: true,
  });
  const question = BULK.confirm[action](rows.length);
  const left = rows.length - results.length;
  const close = isIdle ? onClose : onFinished;
  return (
    <Dialog
      isDirty={isIdle && member !== null}
      {...(!isPending && { onClose: close })}
      title={isIdle ? `${question}?` : question}
      lead={isIdle ? `${BULK.explain[action]} ${skipped > 0 ? BULK.skipped(skipped) : ''}` : undefined}
      actions={
        <>
          {!isPending && <Button kind="quiet" onClick={close} label={isIdle ? 'Go back' : PARTS.close} />}
          {left > 0 && (
            <Button
              kind={action === 'cancel' ? 'danger' : 'primary'}
              busy={isPending}
              disabled={action === 'reassign' && member === null}
              onClick={() => mutate()}
              label={isError ? `Continue with ${left}` : question}
            />
          )}
        </>
      }
    >
      {action === 'reassign' && isIdle && (
        <Field label={ACTIONS.reassignTo}>
          <MemberChoice value={member} onChange={setMember} isOpen />
        </Field>
      )}
      {!isIdle && (
        <div className="grid figures gap-8">
          <progress value={results.length} max={rows.length} aria-label="Progress" />
          <span role="status">
            {results.length} of {rows.length}
          </span>
        </div>
      )}
      {!isIdle && !isPending && <Summary action={action} results={results} left={left} />}
      <FormProblem error={error} fields={[]} />
    </Dialog>
  );
}

interface SummaryProps {
  action: BulkAction;
  results: readonly BulkResult[];
  left: number;
}

function Summary({ action, results, left }: SummaryProps) {
  const refused = results.filter((result) => result.refused !== null);
  const done = results.length - refused.length;
  return (
    <div className="grid gap-8" role="status">
      {done > 0 && <p>{BULK.done[action](done)}</p>}
      {left > 0 && <p>{intros(left)} not changed yet.</p>}
      {refused.length > 0 && (
        <>
          <p>{intros(refused.length)} couldn’t be changed:</p>
          <ul>
            {refused.map(({ row, refused: reason }) => (
              <li key={row.id}>
                {formatName(row.recipient)}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
