import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Input } from '../../parts/input.tsx';
import { NEW_INTRO } from '../../texts/home.ts';
import { suggestPhone, tidyPhone, writePhone } from './tidy-phone.ts';

interface PhoneFieldProps {
  label: string;
  hint: string;
  /** As it was typed. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  optional?: boolean;
}

/** A number with its country. What was left out of it is offered, not assumed. */
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
            {NEW_INTRO.takeSuggestion(writePhone(suggestion))}
          </Button>
        </div>
      )}
    </div>
  );
}
