import type { BulkAction, BulkResult, ConsoleIntroRow } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiFailure, call, fieldProblem } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/display.tsx';
import { Field } from '../../parts/form.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { FAILURE, PARTS } from '../../texts.ts';
import { BULK } from './bulk-texts.ts';
import { MemberChoice, type Person } from './choose-member.tsx';
import { ACTIONS } from './texts.ts';

/** Small, so that the progress moves and a stop takes effect soon. The server allows more. */
const CHUNK = 10;

interface BulkRequest {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly member?: string;
}

interface BulkRun {
  readonly state: 'idle' | 'running' | 'ended';
  readonly results: readonly BulkResult[];
  readonly total: number;
  /** Why the last request failed. The intros without a result were not changed, or it is unknown. */
  readonly error: unknown;
  /** Continues with the intros that have no result yet. */
  start(request: BulkRequest): Promise<readonly BulkResult[] | null>;
  /** Ends after the request in flight. */
  stop(): void;
}

/** Sends the intros in small requests, one after the other. */
function useBulk(): BulkRun {
  const queries = useQueryClient();
  const [state, setState] = useState<BulkRun['state']>('idle');
  const [results, setResults] = useState<readonly BulkResult[]>([]);
  const [total, setTotal] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const isStopped = useRef(false);

  async function sendAll({ action, ids, member }: BulkRequest): Promise<readonly BulkResult[]> {
    let found = results;
    const left = ids.filter((id) => !found.some((result) => result.id === id));
    for (let at = 0; at < left.length && !isStopped.current; at += CHUNK) {
      const body = { action, ids: left.slice(at, at + CHUNK), ...(member !== undefined && { member }) };
      const response = await call('POST /intros/bulk', { body });
      found = [...found, ...response.results];
      setResults(found);
    }
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
    const results = await run.start({ action, ids, ...(member !== null && { member: member.id }) });
    const isComplete = results?.length === ids.length && results.every(({ outcome }) => outcome === 'done');
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
      open
      {...(run.state !== 'running' && { onOpenChange: (open: boolean) => open || close() })}
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
        <Field label={ACTIONS.reassignTo} error={fieldProblem(run.error, 'member')}>
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
  const of = (outcome: BulkResult['outcome']) => run.results.filter((result) => result.outcome === outcome);
  const [done, unchanged, refused] = [of('done'), of('unchanged'), of('refused')];
  const nameOf = (id: string) => {
    const row = selected.find((one) => one.id === id);
    return row === undefined ? id : formatName(row.recipient);
  };
  return (
    <div className="grid gap-8" role="status">
      {run.error !== null && (
        <Notice tone="bad">{run.error instanceof ApiFailure ? run.error.message : FAILURE.unknown}</Notice>
      )}
      {done.length > 0 && <p>{BULK.done[action](done.length)}</p>}
      {unchanged.length > 0 && <p>{BULK.unchanged[action](unchanged.length)}</p>}
      {left > 0 && <p>{BULK.left(left)}</p>}
      {refused.length > 0 && (
        <>
          <p>{BULK.refused(refused.length)}</p>
          <ul className="bulk-refused">
            {refused.map(({ id, reason }) => (
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
