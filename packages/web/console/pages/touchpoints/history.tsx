import type { TouchpointChange, TouchpointDetail, TouchpointField } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { call } from '../../api.ts';
import { Ask, AskButton } from '../../parts/actions.tsx';
import { LoadedRows, usePages } from '../../parts/list.tsx';
import { Dialog } from '../../parts/overlays.tsx';
import { FieldValues } from '../../parts/save-bar.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { infoOf } from './fields.tsx';
import { useSetTouchpoint } from './queries.ts';
import { HISTORY, TOUCHPOINT } from './texts.ts';

interface HistoryProps {
  detail: TouchpointDetail;
  /** While there are unsaved changes, nothing can be undone. */
  hasDraft: boolean;
  onClose: () => void;
}

/** All changes, each with a button to undo it. */
export function History({ detail, hasDraft, onClose }: HistoryProps) {
  const { slug } = detail;
  const pages = usePages({
    key: ['touchpoints', 'history', slug],
    fetch: (before, signal) =>
      call('GET /touchpoints/{slug}/history', { params: { slug }, query: { before: before ?? undefined } }, signal),
    rowsOf: ({ changes }) => changes,
  });
  return (
    <Dialog onClose={onClose} title={HISTORY.title} lead={HISTORY.lead} wide>
      <LoadedRows
        pages={pages}
        empty={<EmptyState title="No changes yet">This touchpoint matches your industry’s original.</EmptyState>}
      >
        {(rows) => (
          <>
            {hasDraft && <p className="hint">{TOUCHPOINT.saveFirst}</p>}
            <ol className="list">
              {rows.map((change) => (
                <Change
                  key={change.id}
                  change={change}
                  detail={detail}
                  mayUndo={!hasDraft && change.fields.length > 0}
                />
              ))}
            </ol>
          </>
        )}
      </LoadedRows>
    </Dialog>
  );
}

interface ChangeProps {
  change: TouchpointChange;
  detail: TouchpointDetail;
  mayUndo: boolean;
}

function Change({ change, detail, mayUndo }: ChangeProps) {
  const { id, by, at, fields } = change;
  const { slug, version } = detail;
  const setTouchpoint = useSetTouchpoint();
  const names = fields.map(({ field }) => infoOf(detail.lanes, field).label).join(', ');
  return (
    <li className="list-row entry grid gap-12">
      <div className="wrap between gap-12">
        <div>
          <p className="medium">{HISTORY.kind(change)}</p>
          <p className="hint">
            {by === null ? 'An administrator command' : by.name}, <Time at={at} />
          </p>
        </div>
        {mayUndo && (
          <AskButton
            button={{ small: true, icon: 'again', label: 'Undo', 'aria-label': `Undo: ${names}` }}
            title="Undo this change?"
            action="Undo change"
            run={() => call('POST /touchpoints/{slug}/undo', { params: { slug }, body: { change: id, version } })}
            topics={['touchpoints']}
            done="Change undone."
            onDone={setTouchpoint}
          >
            <p>These fields go back to their earlier values:</p>
            {fields.map(({ field, before }) => (
              <Values key={field} field={field} detail={detail} from={detail[field]} to={before} />
            ))}
          </AskButton>
        )}
      </div>
      {fields.map(({ field, before, after }) => (
        <Values key={field} field={field} detail={detail} from={before} to={after} />
      ))}
    </li>
  );
}

interface ValuesProps {
  field: TouchpointField;
  detail: TouchpointDetail;
  from: unknown;
  to: unknown;
}

const Values = ({ field, detail, from, to }: ValuesProps) => (
  <FieldValues
    field={infoOf(detail.lanes, field)}
    values={[
      ['Before', from],
      ['After', to],
    ]}
  />
);

/** The fields that differ from the industry's original. */
export const changedFromOriginal = ({ original, ...detail }: TouchpointDetail) =>
  original === null
    ? []
    : TOUCHPOINT_FIELDS.filter((field) => field !== 'active').filter((field) => detail[field] !== original[field]);

export function Reset({ detail, onClose }: { detail: TouchpointDetail; onClose: () => void }) {
  const { slug, version, original } = detail;
  const setTouchpoint = useSetTouchpoint();
  return (
    <Ask
      title="Reset to the original?"
      action="Reset"
      run={() => call('POST /touchpoints/{slug}/reset', { params: { slug }, body: { version } })}
      topics={['touchpoints']}
      done="Reset to the original."
      onDone={setTouchpoint}
      onClose={onClose}
    >
      <p>{TOUCHPOINT.resetLead}</p>
      {changedFromOriginal(detail).map((field) => (
        <Values key={field} field={field} detail={detail} from={detail[field]} to={original?.[field]} />
      ))}
    </Ask>
  );
}
