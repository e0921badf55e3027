/** The value of a `datetime-local` input as an ISO time, read in the browser's time zone. Undefined if it is empty or invalid. */
export function readLocalTime(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
