/** Time since the page was opened; unaffected by changes of the phone's clock. */
export const elapsedMs = (): number => performance.now();

/** For times that outlive the page, and for texts. No other decision relies on a phone's clock. */
export const wallClockMs = (): number => performance.timeOrigin + performance.now();

/** `AbortSignal.timeout`, which iOS 15 does not have. */
export function expireAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A random time between half of `ms` and `ms`, so that phones that lost signal together do not retry together. */
export function jittered(ms: number): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return ms * (0.5 + random / 2 ** 33);
}
