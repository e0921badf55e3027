/** Other modules get the clock as a parameter, so that tests can simulate a week in a second. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** For durations; unrelated to the date. */
export const monotonicMs = (): number => performance.now();

export const before = (now: Date, ms: number): Date => new Date(now.getTime() - ms);
