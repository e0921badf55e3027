/** What a field for date and time holds, as a time: in the zone of whoever filled it in. Undefined when it holds none. */
export function readLocalTime(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
