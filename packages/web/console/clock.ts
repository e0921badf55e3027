/** The wall clock in milliseconds, for texts only: nothing is decided by the clock of a visitor's machine. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
