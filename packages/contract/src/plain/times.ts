export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time as the API and the console show it. */
export function iso(at: Date): string;
export function iso(at: Date | null | undefined): string | null;
export function iso(at: Date | null | undefined): string | null {
  return at?.toISOString() ?? null;
}
