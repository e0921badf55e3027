import { measureText, SEGMENT_UNITS, type SegmentPrice } from '@foreword/contract/plain/text-segments';
import { Fragment } from 'react';
import { formatCount, formatMoney } from '../format.ts';

const TEXT_SIZE = {
  size: (segments: number, units: number, encoding: string) =>
    `${formatCount(segments, 'segment')}, ${formatCount(units, 'character')} (${encoding}).`,
  chargedPerSegment: 'Carriers charge per segment.',
  cost: (amount: number, currency: string) => `About ${formatMoney(amount, currency)} per recipient.`,
  /** Followed by the characters. */
  outsideGsm: 'Not in the standard text alphabet:',
  consequence: (held: number, heldOtherwise: number) =>
    `Each segment holds ${held} characters instead of ${heldOtherwise}.`,
} as const;

/** More characters than a user finds in the text would not help. */
const MAX_NAMED = 8;

interface TextSizeProps {
  /** The text as it is sent, with its link. */
  text: string;
  /** Null: unknown. */
  price: SegmentPrice | null;
}

/** Segments, encoding and cost of a text, and the characters that make it longer than it looks. */
export function TextSize({ text, price }: TextSizeProps) {
  const { encoding, units, segments, outsideGsm } = measureText(text);
  const held = (name: keyof typeof SEGMENT_UNITS) => SEGMENT_UNITS[name][segments === 1 ? 'one' : 'each'];
  return (
    <div className="grid gap-4">
      <p>
        {TEXT_SIZE.size(segments, units, encoding)}{' '}
        {price === null ? TEXT_SIZE.chargedPerSegment : TEXT_SIZE.cost(segments * price.amount, price.currency)}
      </p>
      {outsideGsm.length > 0 && (
        <p>
          {TEXT_SIZE.outsideGsm}{' '}
          {outsideGsm.slice(0, MAX_NAMED).map((character) => (
            <Fragment key={character}>
              <code>{character}</code>{' '}
            </Fragment>
          ))}
          {TEXT_SIZE.consequence(held('UCS-2'), held('GSM-7'))}
        </p>
      )}
    </div>
  );
}
