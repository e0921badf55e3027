export const WAL_FOLDER = 'pg_wal';
/** With segments of 16 MB, the name counts 256 of them in its last eight digits. */
const SEGMENTS = 0x100;

const numberOf = (name: string): number =>
  Number.parseInt(name.slice(8, 16), 16) * SEGMENTS + Number.parseInt(name.slice(16), 16);

const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');

/** The names of all WAL segments from the first to the last, on one timeline. */
export function walSegments(first: string, last: string): string[] {
  const timeline = first.slice(0, 8);
  if (!last.startsWith(timeline)) throw new Error('the backup spans two timelines');
  const names: string[] = [];
  for (let at = numberOf(first); at <= numberOf(last); at++) {
    names.push(timeline + hex(Math.floor(at / SEGMENTS)) + hex(at % SEGMENTS));
  }
  return names;
}
