import type { ConsoleMessage } from '@foreword/contract';
import { DELIVERY_STATUS_NAMES, NO_PROVIDER } from '@foreword/contract/plain';
import type { ReactNode } from 'react';
import { formatCount, formatPhone } from '../../format.ts';
import { Badge, MessageBubble, type Tone } from '../../parts/display.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { holdReason, MESSAGE, MESSAGE_STATUS, PURPOSES } from './texts.ts';

const TONES: Record<ConsoleMessage['status'], Tone | undefined> = {
  scheduled: 'info',
  sending: 'info',
  accepted: 'good',
  delivered: 'good',
  undelivered: 'bad',
  failed: 'bad',
  dropped: undefined,
};

function Body({ message }: { message: ConsoleMessage }) {
  const { body, subject, channel } = message;
  if (body === null)
    return message.status === 'scheduled' ? (
      <p className="hint">The text is written when the message is sent.</p>
    ) : null;
  if (channel === 'text') return <MessageBubble>{body}</MessageBubble>;
  return (
    <div className="quote">
      {subject !== null && <p className="bold">{subject}</p>}
      {body}
    </div>
  );
}

const addressOf = ({ address, channel }: ConsoleMessage): string | null =>
  address === null || channel === 'email' ? address : formatPhone(address);

/** Whether no provider was connected: not a failure that the team can fix by changing the message. */
const isNotSent = ({ error }: ConsoleMessage): boolean => NO_PROVIDER.includes(error?.code);

/** Counts as sent in the API, but nothing left the service. */
const isSimulated = ({ carrier, status }: ConsoleMessage): boolean =>
  carrier === 'simulated' && (status === 'accepted' || status === 'delivered');

function detailsOf(message: ConsoleMessage, format: (at: string) => string): string[] {
  const { channel, segments, carrier, error, held_for, held_by_state, accepted_at, due_at, status } = message;
  const at = accepted_at ?? (status === 'scheduled' ? due_at : null);
  return [
    channel === null ? null : channel === 'text' ? MESSAGE.byText : MESSAGE.byEmail,
    addressOf(message),
    at === null ? null : `${accepted_at === null ? 'Due ' : ''}${format(at)}`,
    segments === null ? null : formatCount(segments, 'segment'),
    carrier === 'simulated' ? MESSAGE.testNumber : null,
    held_for === null ? null : holdReason(held_for, held_by_state),
    error?.message ?? null,
  ].filter((detail) => detail !== null);
}

export function Message({ message, name, more }: { message: ConsoleMessage; name?: string; more?: ReactNode }) {
  const format = useFormatMoment();
  const isUnsent = isNotSent(message);
  const tone = isUnsent || isSimulated(message) ? undefined : TONES[message.status];
  const status = isSimulated(message) ? DELIVERY_STATUS_NAMES.simulated : MESSAGE_STATUS[message.status];
  return (
    <>
      <div className="wrap between middle gap-8">
        <span className="bold">{name ?? PURPOSES[message.purpose]}</span>
        <Badge tone={tone}>{isUnsent ? DELIVERY_STATUS_NAMES.not_sent : status}</Badge>
      </div>
      <Body message={message} />
      <p className="hint">{detailsOf(message, format).join(' · ')}</p>
      {more}
    </>
  );
}
