import { useState } from 'react';

export interface Edits<F> {
  readonly changes: Partial<F>;
  /** The saved value of each changed field when the user last saw it. */
  readonly was: Partial<F>;
}

/** Unsaved edits on top of the saved values. Fields the user did not change always follow the saved values. */
interface Draft<F> extends Edits<F> {
  /** The saved values with the changes applied. */
  readonly fields: F;
  readonly isDirty: boolean;
  /** Fields changed here that someone else has since saved with another value. */
  readonly conflicts: readonly (keyof F)[];
  change(fields: Partial<F>): void;
  /** Resolves the conflicts: the next save overwrites the other user's values of the fields changed here. */
  keepMine(): void;
  /** Drops the changes to these fields, or all changes. */
  discard(fields?: readonly (keyof F)[]): void;
  /** Drops the changes that were sent and are saved now; fields edited since then stay changed. */
  markSaved(sent: Partial<F>, saved: F): void;
}

const normalize = (value: unknown): unknown => (Array.isArray(value) ? [...value].sort().join() : value);
/** Compares field values; lists are equal in any order. */
export const isSame = (one: unknown, other: unknown): boolean => normalize(one) === normalize(other);

const keysOf = <F>(some: Partial<F>): (keyof F)[] => Object.keys(some) as (keyof F)[];
const pick = <F>(from: Partial<F>, keys: readonly (keyof F)[]): Partial<F> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Partial<F>;

export function useDraft<F extends object>(saved: F): Draft<F> {
  const [edits, setEdits] = useState<Edits<F>>({ changes: {}, was: {} });
  const changed = keysOf(edits.changes).filter((key) => !isSame(edits.changes[key], saved[key]));
  const changes = pick(edits.changes, changed);
  const isUnmoved = (key: keyof F): boolean => isSame(edits.was[key], saved[key]);
  const was = { ...pick(edits.was, changed), ...pick(saved, changed.filter(isUnmoved)) };
  return {
    changes,
    was,
    fields: { ...saved, ...changes },
    isDirty: changed.length > 0,
    conflicts: changed.filter((key) => !isUnmoved(key)),
    change: (fields) =>
      setEdits((before) => {
        const after = { ...before.changes, ...fields };
        const remaining = keysOf(after).filter((key) => !isSame(after[key], saved[key]));
        return { changes: pick(after, remaining), was: pick({ ...saved, ...before.was }, remaining) };
      }),
    keepMine: () => setEdits((before) => ({ ...before, was: pick(saved, keysOf(before.changes)) })),
    discard: (fields = keysOf(saved)) =>
      setEdits((before) => {
        const remaining = keysOf(before.changes).filter((key) => !fields.includes(key));
        return { changes: pick(before.changes, remaining), was: pick(before.was, remaining) };
      }),
    markSaved: (sent, now) =>
      setEdits((before) => {
        const remaining = keysOf(before.changes).filter(
          (key) => !(key in sent && isSame(before.changes[key], sent[key])),
        );
        const seen = { ...before.was, ...pick(now, keysOf(sent)) };
        return { changes: pick(before.changes, remaining), was: pick(seen, remaining) };
      }),
  };
}
