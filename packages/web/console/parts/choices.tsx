import { type ReactNode, useId } from 'react';
import { useControl } from './field.tsx';
import type { Option } from './select.tsx';

interface TickProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

function Tick({ role, label, hint, checked, onChange, disabled = false }: TickProps & { role?: 'switch' }) {
  const id = useId();
  return (
    <span className={role === 'switch' ? 'tick tick-switch' : 'tick'}>
      <input
        id={id}
        type="checkbox"
        role={role}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className="tick-hint">
          {hint}
        </span>
      )}
    </span>
  );
}

/** Chosen with the form it stands in. */
export const Checkbox = (props: TickProps) => <Tick {...props} />;

/** Takes effect at once. */
export const Switch = (props: TickProps) => <Tick role="switch" {...props} />;

interface ChoiceProps<T extends string> {
  value: T;
  options: readonly (Option<T> & { readonly hint?: ReactNode })[];
  onChange: (value: T) => void;
  /** Where no Field round it (with `group`) says what is chosen. */
  label?: string;
}

function Choices<T extends string>({ value, options, onChange, label, look }: ChoiceProps<T> & { look: string }) {
  const name = useId();
  const { 'aria-describedby': describedBy } = useControl();
  return (
    <div className={look} role="radiogroup" aria-label={label} aria-describedby={describedBy}>
      {options.map((option) => (
        <label key={option.value} className="choice">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onChange(option.value)}
          />
          <span className="choice-words">
            <span className="choice-label">{option.label}</span>
            {option.hint !== undefined && <span className="choice-hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}

/** One of a few, each with room to explain itself. */
export const RadioGroup = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} look="radios" />;

/** One of two to five short words, side by side: a view or a filter. There is no room for hints. */
export const Segmented = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} look="segments" />;
