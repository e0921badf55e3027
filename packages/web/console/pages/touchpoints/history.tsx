import type { TouchpointChange, TouchpointDetail } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { LoadedRows, usePages } from '../../parts/list.tsx';
import { FieldValues } from '../../parts/save-bar.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { infoOf } from './fields.tsx';
import { useTouchpointCache } from './queries.ts';
import { HISTORY, TOUCHPOINT } from './texts.ts';

interface HistoryProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  detail: TouchpointDetail;
  /** While there are unsaved changes, nothing can be undone. */
  hasDraft: boolean;
}

/** All changes, each with a button to undo it. */
export function History({ open, onOpenChange, detail, hasDraft }: HistoryProps) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={HISTORY.title} lead={HISTORY.lead} wide>
      {open && <Changes detail={detail} hasDraft={hasDraft} />}
    </Dialog>
  );
}

function Changes({ detail, hasDraft }: Pick<HistoryProps, 'detail' | 'hasDraft'>) {
  const { slug, version, lanes } = detail;
  const cache = useTouchpointCache();
  const pages = usePages({
    key: ['touchpoints', 'history', slug],
    fetch: (before, signal) =>
      call('GET /touchpoints/{slug}/history', { params: { slug }, query: { before: before ?? undefined } }, signal),
    rowsOf: ({ changes }) => changes,
    nextOf: ({ changes, has_more }) => (has_more ? (changes.at(-1)?.id ?? null) : null),
  });
  const [undone, setUndone] = useState<TouchpointChange | null>(null);
  const undo = useAction({
    run: (change: string) => call('POST /touchpoints/{slug}/undo', { params: { slug }, body: { change, version } }),
    done: HISTORY.undoDone,
    onDone(next) {
      setUndone(null);
      cache.setDetail(next);
    },
    topics: ['touchpoints'],
    showsFailure: true,
  });
  const ask = (change: TouchpointChange) => {
    undo.reset();
    setUndone(change);
  };
  return (
    <>
      <LoadedRows pages={pages} empty={<EmptyState title={HISTORY.empty}>{HISTORY.emptyLead}</EmptyState>}>
        {(rows) => (
          <>
            {hasDraft && <p className="hint">{TOUCHPOINT.saveFirst}</p>}
            <ol className="list">
              {rows.map((change) => (
                <Change
                  key={change.id}
                  change={change}
                  lanes={lanes}
                  onUndo={hasDraft || change.fields.length === 0 ? null : () => ask(change)}
                />
              ))}
            </ol>
          </>
        )}
      </LoadedRows>
      <Confirm
        open={undone !== null}
        onOpenChange={(open) => open || setUndone(null)}
        title={HISTORY.undoTitle}
        action={HISTORY.undoAction}
        run={{ ...undo, mutate: () => undone !== null && undo.mutate(undone.id) }}
      >
        <p>{HISTORY.undoLead}</p>
        {undone?.fields.map(({ field, before }) => (
          <FieldValues
            key={field}
            field={infoOf(lanes, field)}
            values={[
              [HISTORY.from, detail[field]],
              [HISTORY.to, before],
            ]}
          />
        ))}
      </Confirm>
    </>
  );
}

interface ChangeProps {
  change: TouchpointChange;
  lanes: TouchpointDetail['lanes'];
  onUndo: (() => void) | null;
}

function Change({ change, lanes, onUndo }: ChangeProps) {
  const { by, at, fields } = change;
  const names = fields.map(({ field }) => infoOf(lanes, field).label).join(', ');
  return (
    <li className="list-row entry grid gap-12">
      <div className="wrap between gap-12">
        <div>
          <p className="medium">{HISTORY.kind(change)}</p>
          <p className="hint">
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
          field={infoOf(lanes, field)}
          values={[
            [HISTORY.from, before],
            [HISTORY.to, after],
          ]}
        />
      ))}
    </li>
  );
}

/** The fields that differ from the industry's original. */
export const changedFromOriginal = ({ original, ...detail }: TouchpointDetail) =>
  original === null
    ? []
    : TOUCHPOINT_FIELDS.filter((field) => field !== 'active').filter((field) => detail[field] !== original[field]);

export function Reset({ open, onOpenChange, detail }: Omit<HistoryProps, 'hasDraft'>) {
  const { slug, version, original, lanes } = detail;
  const cache = useTouchpointCache();
  const action = useAction({
    run: () => call('POST /touchpoints/{slug}/reset', { params: { slug }, body: { version } }),
    done: TOUCHPOINT.resetDone,
    onDone(next) {
      onOpenChange(false);
      cache.setDetail(next);
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
      run={action}
    >
      <p>{TOUCHPOINT.resetLead}</p>
      {changedFromOriginal(detail).map((field) => (
        <FieldValues
          key={field}
          field={infoOf(lanes, field)}
          values={[
            [HISTORY.from, detail[field]],
            [HISTORY.to, original?.[field]],
          ]}
        />
      ))}
    </Confirm>
  );
}
