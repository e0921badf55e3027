import { BoundedMap } from '../../platform/bounded-map.ts';
import { readAddress } from '../../platform/client-address.ts';

/** Wrong links or keys allowed at once from one network, then one more per REFILL_MS. Real recipients follow correct links. */
const BURST = 30;
const REFILL_MS = 2_000;
const MAX_NETWORKS = 10_000;

interface Bucket {
  spent: number;
  sinceMs: number;
}

/**
 * Groups addresses by subscriber: providers assign a whole IPv6 /64 to one line. Everything that is not an address is one
 * network, so that a proxy's `unknown`, or something invented, gets no limit of its own.
 */
export function networkOf(text: string): string {
  const address = readAddress(text);
  if (address === null) return 'unknown';
  const bytes = address.toByteArray();
  return address.kind() === 'ipv6' ? Buffer.from(bytes.slice(0, 8)).toString('hex') : address.toString();
}

/** Slows down guessing links, sign-in codes and API keys. */
export interface LinkRateLimit {
  /** Seconds to wait; null when requests are allowed. */
  waitS(address: string): number | null;
  noteMiss(address: string): void;
}

/** `nowMs` is a clock for durations. */
export function createLinkRateLimit(nowMs: () => number): LinkRateLimit {
  const buckets = new BoundedMap<string, Bucket>({ maxSize: MAX_NETWORKS });

  function refill(network: string): Bucket {
    const bucket = buckets.get(network) ?? { spent: 0, sinceMs: nowMs() };
    const refilled = Math.floor((nowMs() - bucket.sinceMs) / REFILL_MS);
    bucket.spent = Math.max(0, bucket.spent - refilled);
    bucket.sinceMs += refilled * REFILL_MS;
    return bucket;
  }

  return {
    waitS(address) {
      const network = networkOf(address);
      if (!buckets.has(network)) return null;
      const { spent, sinceMs } = refill(network);
      return spent < BURST ? null : Math.max(1, Math.ceil((sinceMs + REFILL_MS - nowMs()) / 1000));
    },
    noteMiss(address) {
      const network = networkOf(address);
      const bucket = refill(network);
      bucket.spent += 1;
      buckets.set(network, bucket);
    },
  };
}
