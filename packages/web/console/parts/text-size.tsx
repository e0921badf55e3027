import { measureText, SEGMENT_UNITS, type SegmentPrice } from '@foreword/contract/plain/text-segments';
import { Fragment } from 'react';
import { formatCount, formatMoney } from '../format.ts';

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
        {formatCount(segments, 'segment')}, {formatCount(units, 'character')} ({encoding}).{' '}
        {price === null
          ? 'Carriers charge per segment.'
          : `About ${formatMoney(segments * price.amount, price.currency)} per recipient.`}
      </p>
      {outsideGsm.length > 0 && (
        <p>
          Not in the standard text alphabet:{' '}
          {outsideGsm.slice(0, MAX_NAMED).map((character) => (
            <Fragment key={character}>
              <code>{character}</code>{' '}
            </Fragment>
          ))}
          Each segment holds {held('UCS-2')} characters instead of {held('GSM-7')}.
        </p>
      )}
    </div>
  );
}
