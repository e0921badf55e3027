import type { TouchpointChange, TouchpointDetail } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/loaded.tsx';
import { Pager, usePages } from '../../parts/pager.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { fieldName, HISTORY, TOUCHPOINT } from '../../texts/touchpoints.ts';
import { FieldValues } from './conflict.tsx';

interface HistoryProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  detail: TouchpointDetail;
  /** While there are unsaved changes, nothing can be undone. */
  hasDraft: boolean;
  onChanged: (detail: TouchpointDetail) => void;
}

/** All changes, each with a button to undo it. */
export function History({ open, onOpenChange, detail, hasDraft, onChanged }: HistoryProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={HISTORY.title} lead={HISTORY.lead} wide>
      {open && <Changes detail={detail} hasDraft={hasDraft} onChanged={onChanged} />}
    </Dialog>
  );
}

function Changes({ detail, hasDraft, onChanged }: Omit<HistoryProps, 'open' | 'onOpenChange'>) {
  const { slug, version } = detail;
  const { rows, query } = usePages({
    key: ['touchpoints', 'history', slug],
    fetch: (before, signal) =>
      call('GET /touchpoints/:slug/history', { params: { slug }, query: { before: before ?? undefined } }, signal),
    rowsOf: ({ changes }) => changes,
    nextOf: ({ changes, has_more }) => (has_more ? (changes.at(-1)?.id ?? null) : null),
  });
  const [undone, setUndone] = useState<TouchpointChange | null>(null);
  const undo = useAction({
    run: (change: string) => call('POST /touchpoints/:slug/undo', { params: { slug }, body: { change, version } }),
    done: HISTORY.undoDone,
    onDone(next) {
      setUndone(null);
      onChanged(next);
    },
    topics: ['touchpoints'],
    showsFailure: true,
  });
  if (rows === undefined) {
    return query.isError ? (
      <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
    ) : (
      <SkeletonRows />
    );
  }
  if (rows.length === 0) return <EmptyState title={HISTORY.empty}>{HISTORY.emptyLead}</EmptyState>;
  return (
    <>
      {hasDraft && <p className="values-hint">{TOUCHPOINT.saveFirst}</p>}
      <ol className="history">
        {rows.map((change) => (
          <Change
            key={change.id}
            change={change}
            onUndo={
              hasDraft || change.fields.length === 0
                ? null
                : () => {
                    undo.reset();
                    setUndone(change);
                  }
            }
          />
        ))}
      </ol>
      <Pager query={query} />
      <Confirm
        open={undone !== null}
        onOpenChange={(open) => open || setUndone(null)}
        title={HISTORY.undoTitle}
        action={HISTORY.undoAction}
        busy={undo.isPending}
        error={undo.error}
        onConfirm={() => undone !== null && undo.mutate(undone.id)}
      >
        <p>{HISTORY.undoLead}</p>
        {undone?.fields.map(({ field, before }) => (
          <FieldValues
            key={field}
            field={field}
            values={[
              { label: HISTORY.from, value: detail[field] },
              { label: HISTORY.to, value: before },
            ]}
          />
        ))}
      </Confirm>
    </>
  );
}

function Change({ change, onUndo }: { change: TouchpointChange; onUndo: (() => void) | null }) {
  const { by, at, fields } = change;
  const names = fields.map(({ field }) => fieldName(field)).join(', ');
  return (
    <li>
      <div className="history-head">
        <div>
          <p className="row-main">{HISTORY.kind(change)}</p>
          <p className="row-more">
            {by === null ? TOUCHPOINT.command : by.name}, <Time at={at} />
          </p>
        </div>
        {onUndo !== null && (
          <Button kind="quiet" small icon="again" aria-label={HISTORY.undoFields(names)} onClick={onUndo}>
            {HISTORY.undo}
          </Button>
        )}
      </div>
      {fields.map(({ field, before, after }) => (
        <FieldValues
          key={field}
          field={field}
          values={[
            { label: HISTORY.from, value: before },
            { label: HISTORY.to, value: after },
          ]}
        />
      ))}
    </li>
  );
}

interface ResetProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  detail: TouchpointDetail;
  onChanged: (detail: TouchpointDetail) => void;
}

/** The fields that differ from the industry's original. */
export const changedFromOriginal = ({ original, ...detail }: TouchpointDetail) =>
  original === null ? [] : TOUCHPOINT_FIELDS.filter((field) => field !== 'active' && detail[field] !== original[field]);

export function Reset({ open, onOpenChange, detail, onChanged }: ResetProps) {
  const { slug, version, original } = detail;
  const action = useAction({
    run: () => call('POST /touchpoints/:slug/reset', { params: { slug }, body: { version } }),
    done: TOUCHPOINT.resetDone,
    onDone(next) {
      onOpenChange(false);
      onChanged(next);
    },
    topics: ['touchpoints'],
    showsFailure: true,
  });
  return (
    <Confirm
      open={open}
      onOpenChange={onOpenChange}
      title={TOUCHPOINT.resetTitle}
      action={TOUCHPOINT.resetAction}
      busy={action.isPending}
      error={action.error}
      onConfirm={() => action.mutate()}
    >
      <p>{TOUCHPOINT.resetLead}</p>
      {changedFromOriginal(detail).map((field) => (
        <FieldValues
          key={field}
          field={field}
          values={[
            { label: HISTORY.from, value: detail[field] },
            { label: HISTORY.to, value: field === 'active' ? detail.active : (original?.[field] ?? null) },
          ]}
        />
      ))}
    </Confirm>
  );
}
