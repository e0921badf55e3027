/** Folder: code without product terms: database, HTTP, objects, time, ids and logging. */

/** Other modules get the clock as a parameter, so that tests can simulate a week in a second. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** For durations; unrelated to the date. */
export const monotonicMs = (): number => performance.now();

export const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms);

/** A time on a test clock. Ids, webhooks and queues of several organizations use the real time at the same moment. */
export class TestTime extends Date {
  readonly real: Date;

  constructor(at: Date, real: Date) {
    super(at);
    this.real = real;
  }
}

export const isTestTime = (now: Date): now is TestTime => now instanceof TestTime;

export const realTime = (now: Date): Date => (isTestTime(now) ? now.real : now);
