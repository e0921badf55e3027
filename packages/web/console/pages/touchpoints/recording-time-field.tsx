import { type TimeUnit, UNIT_MINUTES, unitOf } from '@foreword/contract/plain';
import { useState } from 'react';
import { Field } from '../../parts/field.tsx';
import { NumberInput } from '../../parts/input.tsx';
import { Select } from '../../parts/select.tsx';
import { TIME_UNITS, TOUCHPOINT } from '../../texts/touchpoints.ts';

const OPTIONS = (['minute', 'hour', 'day'] as const).map((value) => ({ value, label: TIME_UNITS[value] }));

interface RecordingTimeFieldProps {
  /** 0 while the field is empty. */
  minutes: number;
  onChange: (minutes: number) => void;
  error: string | undefined;
}

/** An amount and its unit. Choosing another unit keeps the amount. */
export function RecordingTimeField({ minutes, onChange, error }: RecordingTimeFieldProps) {
  // Kept while it fits, so that 24 hours do not turn into a day while they are typed.
  const [chosen, setChosen] = useState<TimeUnit | null>(null);
  const unit = chosen !== null && minutes % UNIT_MINUTES[chosen] === 0 ? chosen : unitOf(minutes);
  const amount = minutes / UNIT_MINUTES[unit];
  const change = (newAmount: number, newUnit: TimeUnit) => {
    setChosen(newUnit);
    onChange(newAmount * UNIT_MINUTES[newUnit]);
  };
  return (
    <Field label={TOUCHPOINT.recordingTime} hint={TOUCHPOINT.recordingTimeHint} error={error} group>
      <div className="recording-time">
        <NumberInput
          aria-label={TOUCHPOINT.recordingTime}
          {...(error !== undefined && { 'aria-invalid': true })}
          value={amount === 0 ? null : amount}
          onChange={(value) => change(value ?? 0, unit)}
        />
        <Select
          aria-label={TOUCHPOINT.recordingTimeUnit}
          value={unit}
          options={OPTIONS}
          onChange={(value) => change(amount, value)}
        />
      </div>
    </Field>
  );
}
