/** The service lets a request wait for 30 seconds at most; proxies often allow less. */
const LONGEST_WAIT_S = 20;

/** How many seconds of the total remain, from now on. */
export function secondsLeft(totalS: number): () => number {
  const endMs = Date.now() + totalS * 1000;
  return () => (endMs - Date.now()) / 1000;
}

/** How long the next request waits: whole seconds, at least one. */
export const nextWaitS = (leftS: number): number => Math.max(1, Math.min(LONGEST_WAIT_S, Math.ceil(leftS)));
