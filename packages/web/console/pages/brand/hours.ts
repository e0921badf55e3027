import { formatTime } from '../../format.ts';
import type { Option } from '../../parts/select.tsx';
import { BRAND } from '../../texts/brand.ts';

const STEP_MIN = 30;
const DAY_MIN = 1_440;
/** Minutes of the day between which US law lets a company text a person. */
export const LAWFUL = { from: 480, until: 1_260 } as const;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** 480 → "8:00 AM" */
export function formatMinutes(minutes: number): string {
  if (minutes === DAY_MIN) return BRAND.midnight;
  const clock = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  return formatTime(`1970-01-01T${clock}:00Z`, 'time', 'UTC');
}

/** Every half hour, plus the current value. */
export function hourOptions(current: number): readonly Option<string>[] {
  const steps = Array.from({ length: DAY_MIN / STEP_MIN + 1 }, (_, index) => index * STEP_MIN);
  return [...new Set([...steps, current])]
    .sort((a, b) => a - b)
    .map((minutes) => ({ value: String(minutes), label: formatMinutes(minutes) }));
}
