import type { ConsoleIntro } from '@foreword/contract';
import { WAITING_REPLY_TYPES } from '@foreword/contract/plain';
import { formatName } from '../../format.ts';
import { DECLINES } from './decline-texts.ts';
import { holdReason, INTRO, NEXT } from './texts.ts';

export type NextAction =
  | 'record'
  | 'remind'
  | 'reassign'
  | 'send_link'
  | 'resend'
  | 'correct_phone'
  | 'retry_recording'
  | 'call'
  | 'text'
  | 'settle';

/** The next step for an intro, or the reason why there is none. */
interface NextStep {
  readonly title: string;
  readonly lead: string | null;
  /** The first one is the most likely. */
  readonly actions: readonly NextAction[];
  /** A Tone. Its file is for the browser alone, and these rules are tested without one. */
  readonly tone: 'info' | 'good' | 'warn' | 'bad';
}

interface Viewer {
  readonly memberId: string;
  format(at: string): string;
}

const step = (
  tone: NextStep['tone'],
  title: string,
  lead: string | null = null,
  ...actions: NextAction[]
): NextStep => ({ tone, title, lead, actions });

const sentences = (...parts: readonly (string | null | undefined)[]): string | null => {
  const known = parts.filter((part) => part !== null && part !== undefined && part !== '');
  return known.length === 0 ? null : known.join(' ');
};

function recordOrRemind(intro: ConsoleIntro, { memberId }: Viewer): NextAction[] {
  if (intro.record_url !== null && intro.member.id === memberId) return ['record'];
  return intro.actions.remind.possible ? ['remind'] : [];
}

/** A take that is not a video yet, or that could not become one. */
function stepOfTake(intro: ConsoleIntro, viewer: Viewer): NextStep | null {
  const { recording, actions } = intro;
  switch (recording?.status) {
    case 'refused': {
      const next: NextAction[] = actions.retry_recording.possible ? ['retry_recording'] : recordOrRemind(intro, viewer);
      return step('warn', INTRO.recording.refused, recording.refusal, ...next);
    }
    case 'uploading':
      return step('info', 'A take is uploading', null, ...recordOrRemind(intro, viewer));
    case 'uploaded':
      return step('info', NEXT.processing, INTRO.recording.uploaded);
    case 'processing':
      return step('info', NEXT.processing, INTRO.recording.processing(recording.progress));
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
  if (intro.team !== null && intro.actions.reassign.possible) {
    const title = DECLINES.declinedBy(formatName(intro.member), reason);
    return step('bad', title, sentences(words, 'Reassign it or cancel it.', due), 'reassign');
  }
  const isOwn = intro.member.id === memberId;
  const lead = isOwn ? 'Owners and managers were notified. You can still record it.' : words;
  return step('warn', DECLINES.own(reason), lead, ...recordOrRemind(intro, { memberId, format }));
}

const stepOfOptOut = ({ recipient }: ConsoleIntro): NextStep =>
  step(
    'bad',
    `${formatName(recipient)} opted out of texts`,
    'Foreword can’t text this number unless they opt back in.',
  );

function stepOfRequested(intro: ConsoleIntro, viewer: Viewer): NextStep {
  if (intro.recipient_opted_out && intro.responsibility === 'service') return stepOfOptOut(intro);
  const actions = recordOrRemind(intro, viewer);
  const due = intro.expires_at === null ? null : NEXT.due(viewer.format(intro.expires_at));
  if (actions[0] === 'record') return step('warn', 'Record the video', due, ...actions);
  const member = formatName(intro.member);
  const error = intro.team?.raw.notification_error ?? null;
  if (error === null) return step('info', `Waiting for ${member} to record`, due, ...actions);
  return step('bad', `${member} was not reached`, sentences(error.message, due), 'reassign', ...actions);
}

const WRONG_NUMBER: readonly string[] = ['invalid_number', 'unreachable_number'];

/** The text could not be sent or delivered. Offers only what can work. */
function stepOfFailure(intro: ConsoleIntro, { code, message }: { code: string; message: string }): NextStep {
  const name = formatName(intro.recipient);
  if (code === 'recipient_opted_out' || intro.recipient_opted_out) return stepOfOptOut(intro);
  if (code === 'no_text_provider') {
    return step('warn', 'Not sent: no text provider is connected', NEXT.sendYourself(name), 'send_link');
  }
  const title = INTRO.failedTitle[intro.status === 'sent' ? 'sent' : 'ready'];
  const { send_again: resend, correct_phone: correct } = intro.actions;
  const canCorrect: NextAction[] = correct.possible ? ['correct_phone'] : [];
  // Another text to a landline would fail as well. The menu offers it for a number that the carrier is wrong about.
  if (!WRONG_NUMBER.includes(code) && resend.possible) {
    return step('bad', title, message, 'resend', ...canCorrect);
  }
  return step('bad', title, sentences(message, NEXT.sendYourself(name)), ...canCorrect, 'send_link');
}

/** A text that a person planned after the first one is sent from an intro that is `sent` already. */
function stepOfPlannedText(intro: ConsoleIntro, { format }: Viewer): NextStep | null {
  const name = formatName(intro.recipient);
  const text = intro.messages.find(
    ({ purpose, status }) => purpose === 'deliver' && (status === 'scheduled' || status === 'sending'),
  );
  if (text === undefined) return null;
  if (text.status === 'sending') return step('info', NEXT.sending(name));
  const reason = text.held_for === null ? null : holdReason(text.held_for, text.held_by_state);
  return step('info', `The text to ${name} will be sent ${format(text.due_at)}`, reason);
}

function stepOfReady({ recipient, responsibility }: ConsoleIntro): NextStep {
  const name = formatName(recipient);
  return responsibility === 'integration'
    ? step('info', 'Your system sends the link', NEXT.orSendYourself(name), 'send_link')
    : step('info', NEXT.sending(name));
}

function stepOfReply(intro: ConsoleIntro, reply: NonNullable<ConsoleIntro['reply']>): NextStep {
  const { channel, label, type } = reply;
  const name = formatName(intro.recipient);
  const title = channel === 'text' ? INTRO.repliedByText(name) : INTRO.replied(name, label);
  const isWaiting = WAITING_REPLY_TYPES.some((one) => one === type) && reply.settled_at === null;
  const words = reply.message ?? reply.note;
  if (isWaiting) return step('warn', title, words, 'call', 'text', 'settle');
  return step('good', title, sentences(words, NEXT.nothing));
}

function stepOfSent(intro: ConsoleIntro): NextStep {
  const name = formatName(intro.recipient);
  const { watched_percent: percent, opened_at } = intro;
  if (opened_at === null && intro.delivery_status === 'simulated') {
    return step('info', 'Simulated: test number', NEXT.simulatedLead(name), 'send_link');
  }
  const tone = opened_at === null ? 'info' : 'good';
  if (percent > 0) return step(tone, NEXT.watched(name, percent), NEXT.nothing);
  const title = opened_at === null ? `Waiting for ${name} to open the page` : `${name} opened the page`;
  return step(tone, title, NEXT.nothing);
}

const closed = (title: string): NextStep => step('info', title, 'Its links no longer work.');

export function findNextStep(intro: ConsoleIntro, viewer: Viewer): NextStep {
  const { status, delivery_error: error } = intro;
  if (status === 'cancelled') return closed(NEXT.cancelled(intro.cancelled_by?.name ?? null));
  if (status === 'expired')
    return closed(intro.recorded_at === null ? 'Expired before it was recorded' : 'Expired before it was sent');
  if (intro.taken_down_at !== null) return step('info', 'The page was taken down', INTRO.videoTakenDown);
  if (status !== 'sent') {
    const take = stepOfTake(intro, viewer);
    if (take !== null) return take;
    if (intro.declined) return stepOfDeclined(intro, intro.declined, viewer);
    if (status === 'requested') return stepOfRequested(intro, viewer);
  }
  const planned = stepOfPlannedText(intro, viewer);
  if (planned !== null) return planned;
  // A recipient who replied has the link, even if the text failed.
  if (intro.reply !== null) return stepOfReply(intro, intro.reply);
  if (intro.media === null && intro.opened_at === null) return closed('The page closed before it was opened');
  if (error !== null && intro.opened_at === null) return stepOfFailure(intro, error);
  return status === 'ready' ? stepOfReady(intro) : stepOfSent(intro);
}
