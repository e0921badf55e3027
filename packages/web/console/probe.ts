import { call } from './api.ts';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

let probing: Promise<void> | null = null;

async function probe(): Promise<void> {
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
    try {
      await call('GET /session');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Resolves once the server responds. Concurrent callers share one probe. */
export function untilReachable(): Promise<void> {
  probing ??= probe().finally(() => {
    probing = null;
  });
  return probing;
}
