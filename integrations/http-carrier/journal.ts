import {
  appendFileSync,
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';

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

const DAY_MS = 24 * 60 * 60 * 1000;

/** Foreword gives up on a text after about eight hours, and providers send reports for days. Ids are never reused. */
export const KEPT_MS = 30 * DAY_MS;

type Line = Entry & { readonly at: number };

/** A kill can cut the last line. Its message is then as the line before left it. */
function parse(line: string): Line | null {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return null;
  }
}

/** Before this, a power cut may bring a replaced file back, without the lines that were added to its successor. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Replaces the file with one that has only these entries, and returns its handle. After a kill, the file is either the old one or
 * the new one. If it throws, the old one is still in use.
 */
function rewrite(file: string, lines: Iterable<Line>): number {
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  const handle = openSync(draft, 'a', 0o600);
  try {
    appendFileSync(handle, Array.from(lines, (line) => `${JSON.stringify(line)}\n`).join(''));
    fdatasyncSync(handle);
    renameSync(draft, file);
  } catch (error) {
    closeSync(handle);
    throw error;
  }
  return handle;
}

export function openJournal(folder: string, now: () => number = Date.now): Journal {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/messages.jsonl`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const read = text.split('\n').flatMap((line) => parse(line) ?? []);
  const entries = new Map(read.map((entry) => [entry.id, entry]));
  const trim = (): void => {
    for (const [id, { at }] of entries) if (now() - at > KEPT_MS) entries.delete(id);
  };
  // Also removes a cut line, which would swallow the next one.
  trim();
  let handle = rewrite(file, entries.values());
  syncFolder(folder);
  let trimmedAt = now();

  function trimDaily(): void {
    if (now() - trimmedAt < DAY_MS) return;
    trimmedAt = now();
    trim();
    const old = handle;
    try {
      handle = rewrite(file, entries.values());
      syncFolder(folder);
    } catch {
      // The new entry is already on the disk, so a full disk must not fail its text. The file is rewritten tomorrow.
    }
    if (handle !== old) closeSync(old);
  }

  return {
    get: (id) => entries.get(id),
    add(entry) {
      const line: Line = { ...entry, at: now() };
      appendFileSync(handle, `${JSON.stringify(line)}\n`);
      fdatasyncSync(handle);
      entries.set(entry.id, line);
      trimDaily();
    },
  };
}
