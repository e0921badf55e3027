import type { TouchpointChange, TouchpointContent, TouchpointDetail, TouchpointField } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { type ReactNode, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Segmented } from '../../parts/form.tsx';
import { LoadedRows, usePages } from '../../parts/list.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import type { TouchpointDraft } from './saving.tsx';
import { authorOf } from './saving.tsx';
import { CONFLICT, fieldName, fieldValue, HISTORY, TOUCHPOINT } from './texts.ts';

type Value = string | number | boolean | null;

interface LabeledValue {
  readonly label: string;
  readonly value: Value;
}

/** One field with its values side by side. */
const FieldValues = ({ field, values }: { field: TouchpointField; values: readonly LabeledValue[] }) => (
  <div className="values">
    <p className="values-field">{fieldName(field)}</p>
    <dl>
      {values.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{fieldValue(field, value)}</dd>
        </div>
      ))}
    </dl>
  </div>
);

const ValuesGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="values-group">
    <h3>{title}</h3>
    {children}
  </section>
);

/** Sorts the changed fields by who changed them; `byBoth` only where the values differ. */
function compare({ base, changes, changed }: TouchpointDraft, theirs: TouchpointDetail) {
  const byThem = TOUCHPOINT_FIELDS.filter((field) => theirs[field] !== base[field]);
  return {
    byBoth: changed.filter((field) => byThem.includes(field) && theirs[field] !== changes[field]),
    onlyThem: byThem.filter((field) => !changed.includes(field)),
    onlyMe: changed.filter((field) => !byThem.includes(field)),
  };
}

interface OneSideProps {
  title: string;
  fields: readonly TouchpointField[];
  before: TouchpointContent;
  now: TouchpointContent;
  whose: string;
}

/** The fields that only one of the two users changed. */
function OneSide({ title, fields, before, now, whose }: OneSideProps) {
  if (fields.length === 0) return null;
  return (
    <ValuesGroup title={title}>
      {fields.map((field) => (
        <FieldValues
          key={field}
          field={field}
          values={[
            { label: CONFLICT.before, value: before[field] },
            { label: whose, value: now[field] },
          ]}
        />
      ))}
    </ValuesGroup>
  );
}

type Choices = { readonly [F in TouchpointField]?: 'theirs' | 'mine' };

interface BothSidesProps {
  fields: readonly TouchpointField[];
  draft: TouchpointDraft;
  theirs: TouchpointDetail;
  choices: Choices;
  onChoose: (choices: Choices) => void;
}

function BothSides({ fields, draft: { base, content }, theirs, choices, onChoose }: BothSidesProps) {
  if (fields.length === 0) return null;
  return (
    <ValuesGroup title={CONFLICT.both}>
      {fields.map((field) => (
        <div key={field} className="grid gap-10 values-choice">
          <FieldValues
            field={field}
            values={[
              { label: CONFLICT.before, value: base[field] },
              { label: CONFLICT.theirs, value: theirs[field] },
              { label: CONFLICT.mine, value: content[field] },
            ]}
          />
          <Segmented
            label={fieldName(field)}
            value={choices[field] ?? 'mine'}
            onChange={(choice) => onChoose({ ...choices, [field]: choice })}
            options={[
              { value: 'theirs', label: CONFLICT.theirs },
              { value: 'mine', label: CONFLICT.mine },
            ]}
          />
        </div>
      ))}
    </ValuesGroup>
  );
}

interface ConflictProps {
  draft: TouchpointDraft;
  /** The version on the server; null when there is no conflict. */
  theirs: TouchpointDetail | null;
  onClose: () => void;
}

/** Shows both versions of a touchpoint that two users changed, and asks field by field which value to keep. */
export function Conflict({ draft, theirs, onClose }: ConflictProps) {
  const [choices, setChoices] = useState<Choices>({});
  if (theirs === null) return null;
  const { base, content } = draft;
  const { byBoth, onlyThem, onlyMe } = compare(draft, theirs);
  const continueWithout = (discarded: readonly TouchpointField[]) => {
    draft.discard(discarded);
    draft.rebase(theirs);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={CONFLICT.title}
      lead={CONFLICT.lead(authorOf(theirs))}
      wide
      actions={
        <>
          <Button kind="quiet" onClick={() => continueWithout(TOUCHPOINT_FIELDS)}>
            {CONFLICT.discard}
          </Button>
          <Button onClick={() => continueWithout(TOUCHPOINT_FIELDS.filter((field) => choices[field] === 'theirs'))}>
            {CONFLICT.goOn}
          </Button>
        </>
      }
    >
      <BothSides fields={byBoth} draft={draft} theirs={theirs} choices={choices} onChoose={setChoices} />
      <OneSide title={CONFLICT.theirsOnly} fields={onlyThem} before={base} now={theirs} whose={CONFLICT.theirs} />
      <OneSide title={CONFLICT.mineOnly} fields={onlyMe} before={base} now={content} whose={CONFLICT.mine} />
      <p className="hint values-hint">{CONFLICT.goOnHint}</p>
    </Dialog>
  );
}

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
      onChanged(next);
    },
    topics: ['touchpoints'],
    showsFailure: true,
  });
  return (
    <>
      <LoadedRows pages={pages} empty={<EmptyState title={HISTORY.empty}>{HISTORY.emptyLead}</EmptyState>}>
        {(rows) => (
          <>
            {hasDraft && <p className="hint values-hint">{TOUCHPOINT.saveFirst}</p>}
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
      <div className="wrap between history-head">
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
    run: () => call('POST /touchpoints/{slug}/reset', { params: { slug }, body: { version } }),
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
      run={action}
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
