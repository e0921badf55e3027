import { useState } from 'react';

interface Touches<F> {
  readonly changes: Partial<F>;
  /** What stood there when it was touched. */
  readonly was: Partial<F>;
}

/** What somebody types over what is saved. All that they did not touch stays as the server has it, whoever changes it. */
export interface Touched<F> extends Touches<F> {
  /** How it would be. */
  readonly fields: F;
  readonly isDirty: boolean;
  /** Touched here, and since then changed to something else by somebody else. */
  readonly clashes: readonly (keyof F)[];
  change(some: Partial<F>): void;
  /** Mine goes over what stands there by now. */
  insist(): void;
  /** Back to what is saved: these, or all. */
  discard(fields?: readonly (keyof F)[]): void;
  /** These values were sent, and this is saved now. What was typed meanwhile stays. */
  settle(sent: Partial<F>, saved: F): void;
}

const inOneOrder = (value: unknown): unknown => (Array.isArray(value) ? [...value].sort().join() : value);
export const same = (one: unknown, other: unknown): boolean => inOneOrder(one) === inOneOrder(other);

const keysOf = <F>(some: Partial<F>): (keyof F)[] => Object.keys(some) as (keyof F)[];
const pick = <F>(from: Partial<F>, keys: readonly (keyof F)[]): Partial<F> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Partial<F>;

export function useTouched<F extends object>(saved: F): Touched<F> {
  const [touches, setTouches] = useState<Touches<F>>({ changes: {}, was: {} });
  const changed = keysOf(touches.changes).filter((key) => !same(touches.changes[key], saved[key]));
  const changes = pick(touches.changes, changed);
  const isRead = (key: keyof F): boolean => same(touches.was[key], saved[key]);
  const was = { ...pick(touches.was, changed), ...pick(saved, changed.filter(isRead)) };
  return {
    changes,
    was,
    fields: { ...saved, ...changes },
    isDirty: changed.length > 0,
    clashes: changed.filter((key) => !isRead(key)),
    change: (some) =>
      setTouches((before) => {
        const after = { ...before.changes, ...some };
        const kept = keysOf(after).filter((key) => !same(after[key], saved[key]));
        return { changes: pick(after, kept), was: pick({ ...saved, ...before.was }, kept) };
      }),
    insist: () => setTouches((before) => ({ ...before, was: pick(saved, keysOf(before.changes)) })),
    discard: (fields = keysOf(saved)) =>
      setTouches((before) => {
        const kept = keysOf(before.changes).filter((key) => !fields.includes(key));
        return { changes: pick(before.changes, kept), was: pick(before.was, kept) };
      }),
    settle: (sent, now) =>
      setTouches((before) => {
        const kept = keysOf(before.changes).filter((key) => !(key in sent && same(before.changes[key], sent[key])));
        const read = { ...before.was, ...pick(now, keysOf(sent)) };
        return { changes: pick(before.changes, kept), was: pick(read, kept) };
      }),
  };
}
