/** Wall clock in milliseconds, for texts only: no decision relies on a phone's clock. */
export const nowMs = (): number => performance.timeOrigin + performance.now();
