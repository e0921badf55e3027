import type { DeliveryFailureCode } from '@foreword/contract';
import type { FlaggedNumberTable } from '../../tables.ts';

/** Faults of the account with a carrier. They concern every text, not one recipient. */
export const ACCOUNT_FAULTS = {
  credentials: 'The carrier rejects the account or its token.',
  suspended: 'The account is suspended or closed, or has no funds left.',
  sender: 'The account may not send from this number.',
  toll_free_unverified: 'The toll-free number is not verified.',
  unregistered: 'The number is not registered for business texts in the US (A2P 10DLC).',
  registration_pending: 'The registration of the number (A2P 10DLC) is not finished yet.',
  campaign_suspended: 'The A2P 10DLC campaign of the number is suspended.',
  daily_cap: 'The account sent as many texts as it may send in a day.',
  filtered: 'Mobile networks block texts of this account as unwanted.',
  country_off: 'The account may not text numbers in this country.',
} as const;

export type AccountFault = keyof typeof ACCOUNT_FAULTS;

/** A newer version may know more faults. */
export const knownFault = (fault: string): AccountFault =>
  Object.hasOwn(ACCOUNT_FAULTS, fault) ? (fault as AccountFault) : 'credentials';

/** Why a number cannot receive texts. */
export type NumberFault = FlaggedNumberTable['failure'];

/**
 * The action for a code. `retry`: the text was certainly not sent, and is sent again later. `hold`: this text and all others of
 * the account wait until the account works. `notify`: only this text fails, and the owners have to change something. `flag`: the number
 * cannot receive texts, and gets no more of them. `opt_out`: the recipient opted out. `fail`: only this text fails.
 */
type Consequence =
  | { readonly action: 'retry' }
  | { readonly action: 'hold'; readonly fault: AccountFault }
  | { readonly action: 'notify'; readonly fault: AccountFault; readonly failure: DeliveryFailureCode }
  | { readonly action: 'flag'; readonly failure: NumberFault }
  | { readonly action: 'opt_out'; readonly failure: 'recipient_opted_out' }
  | { readonly action: 'fail'; readonly failure: Exclude<DeliveryFailureCode, NumberFault> };

/** A code that a carrier publishes, in the response to a send request or in a delivery report. */
export type CarrierCode = Consequence & {
  readonly code: string;
  /** In our words. */
  readonly meaning: string;
};

/** All codes of one carrier that a sender of texts can meet. The docs have one table for each carrier. */
export interface CarrierCodes {
  readonly carrier: string;
  /** The carrier's own list. */
  readonly source: string;
  readonly codes: readonly CarrierCode[];
}

export const indexCodes = ({ codes }: CarrierCodes): ReadonlyMap<string, CarrierCode> =>
  new Map(codes.map((entry) => [entry.code, entry]));
