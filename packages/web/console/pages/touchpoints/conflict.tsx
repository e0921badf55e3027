import type { TouchpointContent, TouchpointDetail, TouchpointField } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { type ReactNode, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CONFLICT, fieldName, fieldValue, TOUCHPOINT } from '../../texts/touchpoints.ts';
import type { TouchpointDraft } from './draft.ts';

type Value = string | number | boolean | null;

interface LabeledValue {
  readonly label: string;
  readonly value: Value;
}

/** One field with its values side by side. */
export const FieldValues = ({ field, values }: { field: TouchpointField; values: readonly LabeledValue[] }) => (
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

export const authorOf = ({ last_change: last }: TouchpointDetail): string => {
  if (last === null) return TOUCHPOINT.someoneElse;
  return last.by === null ? TOUCHPOINT.command : last.by.name;
};

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
        <div key={field} className="values-choice">
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
      <p className="values-hint">{CONFLICT.goOnHint}</p>
    </Dialog>
  );
}
