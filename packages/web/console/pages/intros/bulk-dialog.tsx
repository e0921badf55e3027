import type { ConsoleIntroRow } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiFailure, call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/display.tsx';
import { Field } from '../../parts/form.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { makeKey } from '../../retry-keys.ts';
import { FAILURE, PARTS } from '../../texts.ts';
import { BULK, type BulkAction } from './bulk-texts.ts';
import { MemberChoice, type Person } from './choose-member.tsx';
import { ACTIONS } from './texts.ts';

/** As many as a browser sends at the same time anyway. */
const AT_ONCE = 6;

interface BulkRequest {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly member: string;
}

/** `refused`: why the server did not change it. */
interface BulkResult {
  readonly id: string;
  readonly refused: string | null;
}

interface BulkRun {
  readonly state: 'idle' | 'running' | 'ended';
  readonly results: readonly BulkResult[];
  readonly total: number;
  /** Why the last request failed. The intros without a result were not changed, or it is unknown. */
  readonly error: unknown;
  /** Continues with the intros that have no result yet. */
  start(request: BulkRequest): Promise<readonly BulkResult[] | null>;
  /** Ends after the requests in flight. */
  stop(): void;
}

function send({ action, member }: BulkRequest, id: string, key: string): Promise<unknown> {
  const params = { id };
  if (action === 'cancel') return call('POST /v1/intros/{id}/cancel', { params, key });
  if (action === 'remind') return call('POST /intros/{id}/remind', { params });
  return call('POST /intros/{id}/reassign', { params, body: { member } });
}

const isRefusal = (reason: unknown): reason is ApiFailure =>
  reason instanceof ApiFailure && [403, 404, 409, 422].includes(reason.status);

/** Changes the intros one by one. */
function useBulk(): BulkRun {
  const queries = useQueryClient();
  const [state, setState] = useState<BulkRun['state']>('idle');
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [total, setTotal] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [keys] = useState(makeKey);
  const isStopped = useRef(false);

  async function sendAll(request: BulkRequest): Promise<readonly BulkResult[]> {
    let found = results;
    const left = request.ids.filter((id) => !found.some((result) => result.id === id));
    const work = async () => {
      for (let id = left.shift(); id !== undefined; id = isStopped.current ? undefined : left.shift()) {
        const refused = await send(request, id, `${keys}:${id}`).then(
          () => null,
          (reason: unknown) => {
            if (isRefusal(reason)) return reason.message;
            isStopped.current = true;
            throw reason;
          },
        );
        found = [...found, { id, refused }];
        setResults(found);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
    return found;
  }

  return {
    ...{ state, results, total, error },
    async start(request) {
      isStopped.current = false;
      setError(null);
      setTotal(request.ids.length);
      setState('running');
      try {
        const found = await sendAll(request);
        setState('ended');
        return found;
      } catch (reason) {
        setError(reason);
        setState('ended');
        return null;
      } finally {
        for (const topic of ['intros', 'outbox']) void refresh(queries, topic);
      }
    },
    stop() {
      isStopped.current = true;
    },
  };
}

interface BulkDialogProps {
  action: BulkAction;
  /** The selected intros for which the action is possible. */
  ids: readonly string[];
  /** All selected intros as they were before the action. */
  selected: readonly ConsoleIntroRow[];
  onClose: () => void;
  /** At least one intro may have changed. */
  onFinished: () => void;
}

function titleOf(action: BulkAction, state: BulkRun['state'], count: number): string {
  if (state === 'idle') return BULK.ask[action](count);
  return state === 'running' ? BULK.running[action] : BULK.ended;
}

/** Asks first, then shows the progress, and finally lists the intros that did not change. */
export function BulkDialog({ action, ids, selected, onClose, onFinished }: BulkDialogProps) {
  const [member, setMember] = useState<Person | null>(null);
  const run = useBulk();
  async function start() {
    const results = await run.start({ action, ids, member: member?.id ?? '' });
    const isComplete = results?.length === ids.length && results.every(({ refused }) => refused === null);
    if (!isComplete) return;
    showToast({ text: BULK.done[action](results.length) });
    onFinished();
  }
  const isAsking = run.state === 'idle';
  const left = ids.length - run.results.length;
  const skipped = selected.length - ids.length;
  const close = isAsking ? onClose : onFinished;
  return (
    <Dialog
      isDirty={isAsking && member !== null}
      {...(run.state !== 'running' && { onClose: close })}
      title={titleOf(action, run.state, ids.length)}
      lead={isAsking ? `${BULK.explain[action]} ${skipped > 0 ? BULK.skipped(skipped) : ''}` : undefined}
      actions={
        <>
          {run.state === 'running' && <Button kind="quiet" onClick={run.stop} label={BULK.stop} />}
          {run.state !== 'running' && (
            <Button
              kind={isAsking || left > 0 ? 'quiet' : 'primary'}
              onClick={close}
              label={isAsking ? BULK.back : PARTS.close}
            />
          )}
          {(isAsking || (run.state === 'ended' && left > 0)) && (
            <Button
              kind={action === 'cancel' ? 'danger' : 'primary'}
              disabled={action === 'reassign' && member === null}
              onClick={() => void start()}
              label={isAsking ? BULK.confirm[action](ids.length) : BULK.continue(left)}
            />
          )}
        </>
      }
    >
      {action === 'reassign' && run.state !== 'running' && (isAsking || left > 0) && (
        <Field label={ACTIONS.reassignTo}>
          <MemberChoice value={member} onChange={setMember} isOpen />
        </Field>
      )}
      {!isAsking && (
        <div className="grid figures gap-8">
          <progress value={run.results.length} max={run.total} aria-label={BULK.progressName} />
          <span role="status">{BULK.progress(run.results.length, run.total)}</span>
        </div>
      )}
      {run.state === 'ended' && <Summary action={action} selected={selected} run={run} left={left} />}
    </Dialog>
  );
}

interface SummaryProps extends Pick<BulkDialogProps, 'action' | 'selected'> {
  run: BulkRun;
  left: number;
}

function Summary({ action, selected, run, left }: SummaryProps) {
  const refused = run.results.filter((result) => result.refused !== null);
  const done = run.results.length - refused.length;
  const nameOf = (id: string) => {
    const row = selected.find((one) => one.id === id);
    return row === undefined ? id : formatName(row.recipient);
  };
  return (
    <div className="grid gap-8" role="status">
      {run.error !== null && (
        <Notice tone="bad">{run.error instanceof ApiFailure ? run.error.message : FAILURE.unknown}</Notice>
      )}
      {done > 0 && <p>{BULK.done[action](done)}</p>}
      {left > 0 && <p>{BULK.left(left)}</p>}
      {refused.length > 0 && (
        <>
          <p>{BULK.refused(refused.length)}</p>
          <ul className="bulk-refused">
            {refused.map(({ id, refused: reason }) => (
              <li key={id}>
                {nameOf(id)}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
