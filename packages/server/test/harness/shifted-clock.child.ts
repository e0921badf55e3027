import { env } from 'node:process';

/** Preloaded by a process whose clock is to be wrong: `new Date()` and `Date.now()` are off by CLOCK_SHIFT_S. */
const shiftMs = Number(env.CLOCK_SHIFT_S) * 1000;
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...values: ConstructorParameters<typeof Date> | []) {
    // @ts-expect-error The overloads of Date take one to seven values; all of them are passed on.
    super(...(values.length === 0 ? [ShiftedDate.now()] : values));
  }
  static override now(): number {
    return RightDate.now() + shiftMs;
  }
}
globalThis.Date = ShiftedDate as DateConstructor;
