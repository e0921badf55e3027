import type { ConsoleMessage } from '@foreword/contract';
import type { ReactNode } from 'react';
import { formatPhone } from '../../format.ts';
import { Badge } from '../../parts/badge.tsx';
import type { Tone } from '../../parts/notice.tsx';
import { MessageBubble } from '../../parts/phone-preview.tsx';
import { heldFor, MESSAGE, MESSAGE_STATUS, PURPOSES } from '../../texts/intros.ts';
import { useFormatMoment } from './moment.tsx';

const TONES: Record<ConsoleMessage['status'], Tone | undefined> = {
  scheduled: 'info',
  sending: 'info',
  accepted: 'good',
  delivered: 'good',
  undelivered: 'bad',
  failed: 'bad',
  dropped: undefined,
};

function Words({ message }: { message: ConsoleMessage }) {
  const { body, subject, channel } = message;
  if (body === null) return message.status === 'scheduled' ? <p className="said-more">{MESSAGE.unwritten}</p> : null;
  if (channel === 'text') return <MessageBubble>{body}</MessageBubble>;
  return (
    <div className="said-letter">
      {subject !== null && <p className="said-name">{subject}</p>}
      {body}
    </div>
  );
}

const addressOf = ({ address, channel }: ConsoleMessage): string | null =>
  address === null || channel === 'email' ? address : formatPhone(address);

function factsOf(message: ConsoleMessage, format: (at: string) => string): string[] {
  const { channel, segments, carrier, error, held_for, accepted_at, due_at, status } = message;
  const at = accepted_at ?? (status === 'scheduled' ? due_at : null);
  return [
    channel === null ? null : channel === 'text' ? MESSAGE.byText : MESSAGE.byEmail,
    addressOf(message),
    at === null ? null : `${accepted_at === null ? `${MESSAGE.due} ` : ''}${format(at)}`,
    segments === null ? null : MESSAGE.segments(segments),
    carrier === 'log' ? MESSAGE.noCarrier : null,
    held_for === null ? null : heldFor(held_for),
    error?.message ?? null,
  ].filter((fact) => fact !== null);
}

/** A message as it went, or as it will go. */
export function Message({ message, name, more }: { message: ConsoleMessage; name?: string; more?: ReactNode }) {
  const format = useFormatMoment();
  // Taken by no carrier: to say that it was sent would not be true.
  const isLogged = message.carrier === 'log' && message.status === 'accepted';
  const tone = isLogged ? undefined : TONES[message.status];
  return (
    <>
      <div className="said-head">
        <span className="said-name">{name ?? PURPOSES[message.purpose]}</span>
        <Badge {...(tone !== undefined && { tone })}>
          {isLogged ? MESSAGE.writtenDown : MESSAGE_STATUS[message.status]}
        </Badge>
      </div>
      <Words message={message} />
      <p className="said-more">{factsOf(message, format).join(' · ')}</p>
      {more}
    </>
  );
}
