import { appendFileSync, existsSync, fdatasyncSync, mkdirSync, openSync, readFileSync } from 'node:fs';

// One JSON object a line, written before and after the provider gets a message. It has no numbers and no texts.

/** `handed_over`: the provider may have it. `sent`: it has. `refused`: permanently. `unsent`: it certainly does not have it. */
export type Entry = { readonly id: string; readonly statusUrl: string } & (
  | { readonly state: 'handed_over' | 'unsent' }
  | { readonly state: 'sent'; readonly providerId: string }
  | { readonly state: 'refused'; readonly code: string; readonly message: string }
);

export interface Journal {
  get(id: string): Entry | undefined;
  /** Returns when the entry is on the disk. */
  add(entry: Entry): void;
}

/** A kill can cut the last line. Its message is then as the line before left it. */
function parse(line: string): Entry | null {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return null;
  }
}

export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/messages.jsonl`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const read = text.split('\n').flatMap((line) => parse(line) ?? []);
  const entries = new Map(read.map((entry) => [entry.id, entry]));
  const handle = openSync(file, 'a', 0o600);
  // A cut line must not swallow the next one.
  if (text !== '' && !text.endsWith('\n')) appendFileSync(handle, '\n');
  return {
    get: (id) => entries.get(id),
    add(entry) {
      appendFileSync(handle, `${JSON.stringify(entry)}\n`);
      fdatasyncSync(handle);
      entries.set(entry.id, entry);
    },
  };
}
