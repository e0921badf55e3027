import ipaddr from 'ipaddr.js';

/** Wrong links from one address: so many at once, and then so many a minute. A recipient follows a link that is right. */
const BURST = 30;
const REFILL_MS = 2_000;
const MAX_ADDRESSES = 10_000;

interface Bucket {
  spent: number;
  sinceMs: number;
}

/** One line of a provider is a /64; the addresses in it are free to whoever has it. */
export function lineOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv6' ? Buffer.from(parsed.toByteArray().slice(0, 8)).toString('hex') : parsed.toString();
}

export interface Guessing {
  /** Seconds to wait; null when the address may go on. */
  waitS(address: string): number | null;
  noteMiss(address: string): void;
}

/** `nowMs` is a clock for durations. */
export function createGuessing(nowMs: () => number): Guessing {
  const buckets = new Map<string, Bucket>();

  function look(line: string): Bucket {
    const bucket = buckets.get(line) ?? { spent: 0, sinceMs: nowMs() };
    const refilled = Math.floor((nowMs() - bucket.sinceMs) / REFILL_MS);
    bucket.spent = Math.max(0, bucket.spent - refilled);
    bucket.sinceMs += refilled * REFILL_MS;
    return bucket;
  }

  return {
    waitS(address) {
      const line = lineOf(address);
      if (!buckets.has(line)) return null;
      const { spent, sinceMs } = look(line);
      return spent < BURST ? null : Math.max(1, Math.ceil((sinceMs + REFILL_MS - nowMs()) / 1000));
    },
    noteMiss(address) {
      const line = lineOf(address);
      const bucket = look(line);
      bucket.spent += 1;
      buckets.delete(line);
      buckets.set(line, bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
