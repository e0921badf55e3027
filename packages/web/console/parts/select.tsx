import type { ComponentPropsWithRef } from 'react';
import { useControl } from './field.tsx';
import { Icon } from './icon.tsx';

export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly disabled?: boolean;
}

interface SelectProps<T extends string>
  extends Omit<ComponentPropsWithRef<'select'>, 'onChange' | 'value' | 'children'> {
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
}

/** A native select, which works best on phones and with keyboards. For many options, use Combobox. */
export function Select<T extends string>({ value, options, onChange, ...rest }: SelectProps<T>) {
  const control = useControl();
  const choose = (chosen: string) => {
    const option = options.find((each) => each.value === chosen);
    if (option !== undefined) onChange(option.value);
  };
  return (
    <span className="select">
      <select
        {...control}
        {...rest}
        className={`input ${rest.className ?? ''}`}
        value={value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}
