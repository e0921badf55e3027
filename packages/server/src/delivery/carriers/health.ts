import type { CarrierState } from './carrier.ts';
import type { Carriers } from './index.ts';

type States = { readonly text: CarrierState; readonly email: CarrierState };

/** Each question costs the carrier a request; a minute is soon enough to see that a token was changed. */
const KEPT_MS = 60_000;

/** What is known of the carriers, for /readyz: told, and never a reason not to be ready. */
export interface CarrierWatch {
  /** At once, as it was seen last; asks again behind the answer when that is old. */
  states(): { readonly text: CarrierState['status'] | 'unknown'; readonly email: CarrierState['status'] | 'unknown' };
}

export function watchCarriers(carriers: Carriers, nowMs: () => number): CarrierWatch {
  let last: States | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  return {
    states() {
      if (nowMs() - askedMs > KEPT_MS) {
        askedMs = nowMs();
        carriers.check().then(
          (states) => {
            last = states;
          },
          () => {
            last = undefined;
          },
        );
      }
      return { text: last?.text.status ?? 'unknown', email: last?.email.status ?? 'unknown' };
    },
  };
}
