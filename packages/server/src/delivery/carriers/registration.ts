/** The registration of senders in the US, in the same words for every carrier. */

import type { Registration } from './carrier.ts';

export const TOLL_FREE = /^\+18(00|33|44|55|66|77|88)\d{7}$/;

const WAIT = 'Wait for the review. Texts are held until then.';

interface Portal {
  readonly carrier: string;
  /** The carrier's website for customers. */
  readonly portal: string;
  /** Where it has brands and campaigns. */
  readonly brands: string;
  /** Where it has toll-free verifications. */
  readonly tollFree: string;
}

/** Where a number stands that has no campaign yet. */
const BRANDS = {
  approved: 'The brand is approved.',
  in_review: 'The brand is in review.',
  suspended: 'The brand is suspended.',
  rejected: 'The brand was rejected.',
} as const;

export type BrandState = keyof typeof BRANDS;

/** Why a sender is not registered. */
interface Missing {
  /** Those of the account, of which the best one decides; undefined: unknown. */
  readonly brands: readonly (BrandState | undefined)[] | undefined;
  readonly problem: string;
  /** The next step once a new campaign exists. */
  readonly afterwards: string;
}

export function describeRegistrations({ carrier, portal, brands, tollFree }: Portal) {
  const state = (status: Registration['status'], message: string, next: string | null): Registration => ({
    status,
    message,
    next,
  });
  return {
    unreadable: state(
      'unknown',
      `${carrier} does not say whether the sender is registered.`,
      `Check the registration in ${portal}, under ${brands}.`,
    ),
    campaign: {
      registered: state('registered', 'The A2P 10DLC campaign of the sender is approved.', null),
      pending: state('pending', 'The A2P 10DLC campaign of the sender is in review.', WAIT),
      rejected: state(
        'rejected',
        'The A2P 10DLC campaign of the sender was rejected.',
        `Read the errors of the campaign in ${portal}, correct it, and submit it again.`,
      ),
      suspended: state(
        'rejected',
        'The A2P 10DLC campaign of the sender is suspended.',
        `Read the notice of ${carrier}, and resolve the suspension with its support.`,
      ),
      expired: state(
        'rejected',
        'The A2P 10DLC campaign of the sender has expired.',
        `Register a new campaign in ${portal} (${brands}), and assign the number to it.`,
      ),
    },
    noCampaign({ brands: states, problem, afterwards }: Missing) {
      const best = (Object.keys(BRANDS) as BrandState[]).find((one) => states?.includes(one));
      const brand = best === undefined ? 'There is no brand.' : BRANDS[best];
      return state(
        'missing',
        states === undefined ? problem : `${brand} ${problem}`,
        `Register a brand and a campaign in ${portal} (${brands}), and ${afterwards}.`,
      );
    },
    assignment: {
      pending: state('pending', 'The number is being added to its A2P 10DLC campaign.', WAIT),
      failed: state(
        'rejected',
        'The number could not be added to its A2P 10DLC campaign.',
        `Read the reason in ${portal}, and assign the number again.`,
      ),
    },
    tollFree: {
      registered: state('registered', 'The toll-free number is verified.', null),
      pending: state('pending', 'The verification of the toll-free number is in review.', WAIT),
      rejected: state(
        'rejected',
        'The verification of the toll-free number was rejected.',
        `Read the reason in ${portal}, correct the request, and submit it again.`,
      ),
      /** The carrier has a question. */
      waiting: state(
        'rejected',
        'The verification of the toll-free number waits for your answer.',
        `Answer the question in ${portal}, under ${tollFree}.`,
      ),
      missing: state(
        'missing',
        'The toll-free number is not verified.',
        `Submit the toll-free verification in ${portal} (${tollFree}).`,
      ),
    },
  };
}
