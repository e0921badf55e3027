import type { TouchpointField } from '@foreword/contract';
import type { ReactNode } from 'react';
import { fieldName, fieldValue } from '../../texts/touchpoints.ts';

export type Value = string | number | boolean | null;

export interface LabeledValue {
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

export const ValuesGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="values-group">
    <h3>{title}</h3>
    {children}
  </section>
);
