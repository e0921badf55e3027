import { createContext, type ReactNode, useContext, useId } from 'react';
import { PARTS } from '../texts/common.ts';
import { Icon } from './icon.tsx';

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
}

const LOOSE: Control = { id: '', 'aria-describedby': undefined, 'aria-invalid': undefined, 'aria-required': undefined };
const ControlContext = createContext<Control>(LOOSE);

/** What ties a control to the words of the Field round it. A control without one names itself with `aria-label`. */
export function useControl(): Omit<Control, 'id'> & { id: string | undefined } {
  const control = useContext(ControlContext);
  return { ...control, id: control.id === '' ? undefined : control.id };
}

interface FieldProps {
  label: ReactNode;
  /** How to fill it in, before anybody fails to. */
  hint?: ReactNode;
  /** What is wrong with it, such as `fieldProblem(action.error, 'email')`. */
  error?: string | undefined;
  /** Shows how much of the room is used. */
  counter?: { readonly used: number; readonly most: number };
  /** Said beside the label; most fields are needed, so that the others are marked. */
  optional?: boolean;
  /** For a control that names itself: a group of choices. */
  group?: boolean;
  /** One of the controls of this folder. */
  children: ReactNode;
}

/** A label, its control, and what there is to say about it. */
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
  const words = (
    <>
      {label}
      {optional && <span className="field-optional">{PARTS.optional}</span>}
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
          {words}
        </Label>
        {counter !== undefined && (
          <span className={over ? 'field-counter field-over' : 'field-counter'}>
            {PARTS.characters(counter.used, counter.most)}
          </span>
        )}
      </div>
      <ControlContext value={group ? LOOSE : control}>{children}</ControlContext>
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

/** Length as the server counts it: an emoji is one. */
export const countCharacters = (text: string): number => [...text].length;
