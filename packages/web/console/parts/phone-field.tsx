import { formatEditablePhone, suggestPhone, tidyPhone } from '../phone-number.ts';
import { PARTS } from '../texts/common.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { Input } from './input.tsx';

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
