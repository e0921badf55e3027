import { formatPhone } from '../format.ts';
import { PARTS } from '../texts/common.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { Input } from './input.tsx';

/** Characters people type between the digits. */
const SEPARATORS = /[\s().\-–/\u00A0\u2011\u202A-\u202E]/g;

/** Removes separators. Never adds a country code: a wrong guess would text a stranger. */
export const tidyPhone = (text: string): string => text.replace(SEPARATORS, '').replace(/^00/, '+');

export const isWholePhone = (phone: string): boolean => /^\+[1-9]\d{7,14}$/.test(phone);

/** Ten digits may be a US or Canadian number; the user must confirm it. */
const suggestPhone = (phone: string): string | null => {
  const [, digits] = /^1?([2-9]\d{9})$/.exec(phone) ?? [];
  return digits === undefined ? null : `+1${digits}`;
};

/** Formats a stored number for editing, with its country code. */
export const formatEditablePhone = (phone: string): string =>
  phone.startsWith('+1') ? `+1 ${formatPhone(phone)}` : phone;

interface PhoneFieldProps {
  label: string;
  hint: string;
  /** The text as typed. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  optional?: boolean;
}

/** A phone number with its country code. A missing code is suggested, never assumed. */
export function PhoneField({ value, onChange, ...field }: PhoneFieldProps) {
  const suggestion = suggestPhone(tidyPhone(value));
  return (
    <div className="stack-tight">
      <Field {...field}>
        <Input type="tel" inputMode="tel" autoComplete="off" maxLength={32} value={value} onChange={onChange} />
      </Field>
      {suggestion !== null && (
        <div>
          <Button kind="quiet" small icon="phone" onClick={() => onChange(suggestion)}>
            {PARTS.phoneSuggestion(formatEditablePhone(suggestion))}
          </Button>
        </div>
      )}
    </div>
  );
}
