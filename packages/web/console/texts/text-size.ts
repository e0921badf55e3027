import { formatCount, formatMoney } from '../format.ts';

export const TEXT_SIZE = {
  size: (segments: number, units: number, encoding: string) =>
    `${formatCount(segments, 'segment')}, ${formatCount(units, 'character')} (${encoding}).`,
  chargedPerSegment: 'Carriers charge per segment.',
  cost: (amount: number, currency: string) => `About ${formatMoney(amount, currency)} per recipient.`,
  /** Followed by the characters. */
  outsideGsm: 'Not in the standard text alphabet:',
  consequence: (held: number, heldOtherwise: number) =>
    `Each segment holds ${held} characters instead of ${heldOtherwise}.`,
} as const;
