/** The wall clock in milliseconds, for texts only: nothing is decided by a phone's clock. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
