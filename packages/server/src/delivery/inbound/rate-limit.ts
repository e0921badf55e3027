import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';

/** More texts at once than a person writes. Without a limit, two machines could text each other forever. */
const BURST = 10;
const REFILL_MS = 60_000;
const MAX_NUMBERS = 10_000;

/** Limits the texts of a number that this node applies. Keywords are not limited. False: ignore the text. */
export function createSenderLimit(clock: Clock): (phone: string) => boolean {
  const senders = new BoundedMap<string, { readonly spent: number; readonly sinceMs: number }>({
    maxSize: MAX_NUMBERS,
  });
  return (phone) => {
    const nowMs = clock().getTime();
    const { spent, sinceMs } = senders.get(phone) ?? { spent: 0, sinceMs: nowMs };
    const refilled = Math.max(0, Math.floor((nowMs - sinceMs) / REFILL_MS));
    const left = Math.max(0, spent - refilled);
    const isAllowed = left < BURST;
    senders.set(phone, { spent: isAllowed ? left + 1 : left, sinceMs: sinceMs + refilled * REFILL_MS });
    return isAllowed;
  };
}
