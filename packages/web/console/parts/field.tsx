import { createContext, type ReactNode, useContext, useId } from 'react';
import { PARTS } from '../texts/common.ts';
import { Icon } from './icon.tsx';

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
}

const UNLABELED: Control = {
  id: '',
  'aria-describedby': undefined,
  'aria-invalid': undefined,
  'aria-required': undefined,
};
const ControlContext = createContext<Control>(UNLABELED);

/** Attributes that connect a control to its Field. A control without a Field needs an `aria-label`. */
export function useControl(): Omit<Control, 'id'> & { id: string | undefined } {
  const control = useContext(ControlContext);
  return { ...control, id: control.id === '' ? undefined : control.id };
}

interface FieldProps {
  label: ReactNode;
  /** How to fill in the field. */
  hint?: ReactNode;
  /** The error message, such as `fieldProblem(action.error, 'email')`. */
  error?: string | undefined;
  /** Shows how many of the allowed characters are used. */
  counter?: { readonly used: number; readonly most: number };
  /** Optional fields are marked, because most fields are required. */
  optional?: boolean;
  /** For a group of choices, which have their own labels. */
  group?: boolean;
  children: ReactNode;
}

/** A label, its control, a hint, and an error. */
export function Field({ label, hint, error, counter, optional = false, group = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const control: Control = {
    id,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-required': optional ? undefined : true,
  };
  const text = (
    <>
      {label}
      {optional && <span className="field-optional"> {PARTS.optional}</span>}
    </>
  );
  const Label = group ? 'span' : 'label';
  const over = counter !== undefined && counter.used > counter.most;
  return (
    <div
      className={error === undefined ? 'field' : 'field field-bad'}
      {...(group && {
        role: 'group',
        'aria-labelledby': `${id}-label`,
        'aria-describedby': control['aria-describedby'],
      })}
    >
      <div className="field-head">
        <Label id={`${id}-label`} className="field-label" {...(!group && { htmlFor: id })}>
          {text}
        </Label>
        {counter !== undefined && (
          <span className={over ? 'field-counter field-over' : 'field-counter'}>
            {PARTS.characters(counter.used, counter.most)}
          </span>
        )}
      </div>
      <ControlContext value={group ? UNLABELED : control}>{children}</ControlContext>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
      <p id={`${id}-error`} className="field-error" role={error === undefined ? undefined : 'alert'}>
        {error !== undefined && (
          <>
            <Icon name="warn" />
            {error}
          </>
        )}
      </p>
    </div>
  );
}

/** Counts as the server does: an emoji is one character. */
export const countCharacters = (text: string): number => [...text].length;
