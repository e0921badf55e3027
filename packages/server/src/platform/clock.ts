/** Time comes in as a parameter everywhere else, so that tests can live through a week in a second. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** For durations; never a date. */
export const monotonicMs = (): number => performance.now();
