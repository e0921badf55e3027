/** The wall clock in milliseconds. For display only: the clock of a user's device can be wrong. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
