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

/** Grows with what is in it, where the browser can. */
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
  /** Null: nothing stands in it. */
  value: number | null;
  onChange: (value: number | null) => void;
}

/** Whole numbers. The keypad of a phone, and no wheel that changes it unseen. */
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
  /** As the server knows it, `+14155550123`, or what was typed as long as that is no number. */
  value: string;
  onChange: (value: string) => void;
}

/** A number may be typed as people write it; ten digits are taken as one of the US. */
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
