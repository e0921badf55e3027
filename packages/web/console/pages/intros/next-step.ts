import type { ConsoleIntro } from '@foreword/contract';
import { isTestNumber } from '@foreword/contract/plain';
import { formatName } from '../../format.ts';
import { DECLINES } from './decline-texts.ts';
import { holdReason, INTRO, NEXT } from './texts.ts';

export type NextAction = 'record' | 'remind' | 'reassign' | 'send_link' | 'resend' | 'retry_recording';

/** The one thing to do about an intro now, or the reason why there is nothing to do. */
interface NextStep {
  readonly title: string;
  readonly lead: string | null;
  readonly action: NextAction | null;
  /** A Tone. Its file is for the browser alone, and these rules are tested without one. */
  readonly tone: 'info' | 'good' | 'warn' | 'bad';
}

interface Viewer {
  readonly memberId: string;
  format(at: string): string;
}

const sentences = (...parts: readonly (string | null | undefined)[]): string | null => {
  const known = parts.filter((part) => part !== null && part !== undefined && part !== '');
  return known.length === 0 ? null : known.join(' ');
};

function recordOrRemind(intro: ConsoleIntro, { memberId }: Viewer): NextAction | null {
  if (intro.record_url !== null && intro.member.id === memberId) return 'record';
  return intro.actions.remind.possible ? 'remind' : null;
}

/** A take that is not a video yet, or that could not become one. */
function stepOfTake(intro: ConsoleIntro, viewer: Viewer): NextStep | null {
  const { recording, actions } = intro;
  switch (recording?.status) {
    case 'refused':
      return {
        title: INTRO.recording.refused,
        lead: recording.refusal?.message ?? null,
        action: actions.retry_recording.possible ? 'retry_recording' : recordOrRemind(intro, viewer),
        tone: 'warn',
      };
    case 'uploading':
      return { title: NEXT.uploading, lead: null, action: recordOrRemind(intro, viewer), tone: 'info' };
    case 'uploaded':
      return { title: NEXT.processing, lead: INTRO.recording.uploaded, action: null, tone: 'info' };
    case 'processing':
      return {
        title: NEXT.processing,
        lead: INTRO.recording.processing(recording.progress),
        action: null,
        tone: 'info',
      };
    default:
      return null;
  }
}

/** Declined: a manager decides, and the member may still record. */
function stepOfDeclined(
  intro: ConsoleIntro,
  { reason, message }: NonNullable<ConsoleIntro['declined']>,
  { memberId, format }: Viewer,
): NextStep {
  const due = intro.expires_at === null ? null : NEXT.due(format(intro.expires_at));
  const words = message === null ? null : `“${message}”`;
  if (intro.actions.reassign.possible) {
    const title = DECLINES.declinedBy(formatName(intro.member), reason);
    return { title, lead: sentences(words, DECLINES.reassignOrCancel, due), action: 'reassign', tone: 'bad' };
  }
  const isOwn = intro.member.id === memberId;
  const action = recordOrRemind(intro, { memberId, format });
  return { title: DECLINES.own(reason), lead: isOwn ? DECLINES.ownLead : words, action, tone: 'warn' };
}

function stepOfRequested(intro: ConsoleIntro, viewer: Viewer): NextStep {
  const action = recordOrRemind(intro, viewer);
  const due = intro.expires_at === null ? null : NEXT.due(viewer.format(intro.expires_at));
  if (action === 'record') return { title: NEXT.record, lead: due, action, tone: 'warn' };
  const { reason } = intro.actions.remind;
  return { title: NEXT.waitForMember(formatName(intro.member)), lead: sentences(due, reason), action, tone: 'warn' };
}

/** The text could not be sent or delivered. Offers only what can work. */
function stepOfFailure(intro: ConsoleIntro, { code, message }: { code: string; message: string }): NextStep {
  const name = formatName(intro.recipient);
  if (code === 'recipient_opted_out' || intro.recipient_opted_out) {
    return { title: NEXT.optedOut(name), lead: NEXT.optedOutLead, action: null, tone: 'bad' };
  }
  if (code === 'no_text_provider') {
    return { title: NEXT.notConnected, lead: NEXT.sendYourself(name), action: 'send_link', tone: 'warn' };
  }
  const title = INTRO.failedTitle[intro.status === 'sent' ? 'sent' : 'ready'];
  // Another text to a landline would fail as well. The menu offers it for a number that the carrier is wrong about.
  const canReceive = code !== 'invalid_number' && code !== 'unreachable_number';
  if (canReceive && intro.actions.send_again.possible) {
    return { title, lead: message, action: 'resend', tone: 'bad' };
  }
  return { title, lead: sentences(message, NEXT.sendYourself(name)), action: 'send_link', tone: 'bad' };
}

function stepOfReady(intro: ConsoleIntro, { format }: Viewer): NextStep {
  const name = formatName(intro.recipient);
  if (intro.responsibility === 'integration') {
    return { title: NEXT.integrationSends, lead: NEXT.orSendYourself(name), action: 'send_link', tone: 'info' };
  }
  const text = intro.messages.find(({ audience, status }) => audience === 'recipient' && status === 'scheduled');
  if (text === undefined) return { title: NEXT.sending(name), lead: null, action: null, tone: 'info' };
  const reason = text.held_for === null ? null : holdReason(text.held_for, text.held_by_state);
  return { title: NEXT.scheduled(name, format(text.due_at)), lead: reason, action: null, tone: 'info' };
}

function stepOfReply(
  intro: ConsoleIntro,
  { channel, label, message, note }: NonNullable<ConsoleIntro['reply']>,
): NextStep {
  const name = formatName(intro.recipient);
  const title = channel === 'text' ? INTRO.repliedByText(name) : INTRO.replied(name, label);
  return { title, lead: message ?? note, action: null, tone: 'good' };
}

function stepOfSent(intro: ConsoleIntro): NextStep {
  const name = formatName(intro.recipient);
  const { watched_percent: percent, opened_at } = intro;
  if (opened_at === null && intro.responsibility === 'service' && isTestNumber(intro.recipient.phone)) {
    return { title: NEXT.simulated, lead: NEXT.simulatedLead(name), action: 'send_link', tone: 'info' };
  }
  const title =
    percent > 0 ? NEXT.watched(name, percent) : opened_at === null ? NEXT.waitForRecipient(name) : NEXT.opened(name);
  return { title, lead: NEXT.nothing, action: null, tone: opened_at === null ? 'info' : 'good' };
}

const TAKEN_DOWN: NextStep = { title: NEXT.takenDown, lead: INTRO.videoTakenDown, action: null, tone: 'info' };

export function findNextStep(intro: ConsoleIntro, viewer: Viewer): NextStep {
  const { status, delivery_error: error } = intro;
  if (status === 'cancelled') {
    const by = intro.cancelled_by?.name;
    return { title: NEXT.cancelled(by ?? null), lead: NEXT.closed, action: null, tone: 'info' };
  }
  if (status === 'expired') {
    return {
      title: intro.recorded_at === null ? NEXT.expired : NEXT.expiredUnsent,
      lead: NEXT.closed,
      action: null,
      tone: 'info',
    };
  }
  if (intro.taken_down_at !== null) return TAKEN_DOWN;
  if (status !== 'sent') {
    const take = stepOfTake(intro, viewer);
    if (take !== null) return take;
    if (intro.declined) return stepOfDeclined(intro, intro.declined, viewer);
    if (status === 'requested') return stepOfRequested(intro, viewer);
  }
  // A recipient who replied has the link, even if the text failed.
  if (intro.reply !== null) return stepOfReply(intro, intro.reply);
  if (error !== null) return stepOfFailure(intro, error);
  return status === 'ready' ? stepOfReady(intro, viewer) : stepOfSent(intro);
}
