import type { ComponentPropsWithRef } from 'react';
import { useState } from 'react';
import { formatPhone, readPhone } from '../format.ts';
import { useControl } from './field.tsx';

interface InputProps extends Omit<ComponentPropsWithRef<'input'>, 'onChange' | 'value'> {
  value: string;
  onChange: (value: string) => void;
}

export const Input = ({ value, onChange, ...rest }: InputProps) => (
  <input
    type="text"
    autoComplete="off"
    {...useControl()}
    {...rest}
    className={`input ${rest.className ?? ''}`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

interface TextAreaProps extends Omit<ComponentPropsWithRef<'textarea'>, 'onChange' | 'value'> {
  value: string;
  onChange: (value: string) => void;
}

/** Grows with its content, if the browser supports it. */
export const TextArea = ({ value, onChange, ...rest }: TextAreaProps) => (
  <textarea
    rows={3}
    {...useControl()}
    {...rest}
    className={`input textarea ${rest.className ?? ''}`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

interface NumberInputProps extends Omit<InputProps, 'value' | 'onChange'> {
  /** Null when the field is empty. */
  value: number | null;
  onChange: (value: number | null) => void;
}

/** Whole numbers. Not `type=number`, because the mouse wheel would change its value unnoticed. */
export function NumberInput({ value, onChange, ...rest }: NumberInputProps) {
  const change = (text: string) => {
    const digits = text.replace(/\D/g, '');
    onChange(digits === '' ? null : Number(digits));
  };
  return (
    <Input {...rest} inputMode="numeric" maxLength={9} value={value === null ? '' : String(value)} onChange={change} />
  );
}

interface PhoneInputProps extends Omit<InputProps, 'value' | 'onChange'> {
  /** E.164, such as `+14155550123`, or the typed text while it is not a valid number. */
  value: string;
  onChange: (value: string) => void;
}

/** Accepts numbers in any usual notation; ten digits are a US number. */
export function PhoneInput({ value, onChange, ...rest }: PhoneInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const change = (text: string) => {
    setTyped(text);
    onChange(readPhone(text));
  };
  return (
    <Input
      {...rest}
      type="tel"
      inputMode="tel"
      value={typed ?? formatPhone(value)}
      onChange={change}
      onBlur={() => setTyped(null)}
    />
  );
}
