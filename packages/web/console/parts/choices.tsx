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

/** Takes effect when its form is saved. */
export const Checkbox = (props: TickProps) => <Tick {...props} />;

/** Takes effect immediately. */
export const Switch = (props: TickProps) => <Tick role="switch" {...props} />;

interface ChoiceProps<T extends string> {
  value: T;
  options: readonly (Option<T> & { readonly hint?: ReactNode })[];
  onChange: (value: T) => void;
  /** Needed where no surrounding Field with `group` names the choice. */
  label?: string;
}

function Choices<T extends string>({
  value,
  options,
  onChange,
  label,
  className,
}: ChoiceProps<T> & { className: string }) {
  const name = useId();
  const { 'aria-describedby': describedBy } = useControl();
  return (
    <div className={className} role="radiogroup" aria-label={label} aria-describedby={describedBy}>
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
          <span className="choice-text">
            <span className="choice-label">{option.label}</span>
            {option.hint !== undefined && <span className="choice-hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}

/** One of a few options, with room for a hint on each. */
export const RadioGroup = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} className="radios" />;

/** One of two to five short options side by side, for a view or a filter. No room for hints. */
export const Segmented = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} className="segments" />;
