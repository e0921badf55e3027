import type { RecorderState } from '@foreword/contract';
import { OUTCOME } from '#recorder-texts';
import { sayWhen } from './appointment.ts';

/** The last screen's message about the link. */
export interface Outcome {
  heading: string;
  body: string;
  /** `waiting`: the recipient does not have the link yet. `calm`: and will not get it, as intended. */
  tone: 'good' | 'waiting' | 'calm' | 'bad';
  /** Whether the member may send the link themselves, because no text does. */
  offersLink: boolean;
  /** Whether the member may have the text sent although it is not sent automatically. */
  offersText?: boolean;
  /** The recipient gets no more texts, so another video would not be sent. */
  isFinal?: boolean;
}

type Text = NonNullable<RecorderState['intro']['text']>;

function sayDelay({ due_at, reason, timezone }: Text, firstName: string, nowMs: number): string {
  if (reason === 'unknown_outcome') return OUTCOME.inDoubt;
  if (reason === 'texts_paused') return OUTCOME.paused(firstName);
  if (reason === 'carrier_account') return OUTCOME.held(firstName);
  const why = OUTCOME.delays[reason ?? ''];
  const next =
    due_at === null ? OUTCOME.queued(firstName) : OUTCOME.scheduled(firstName, sayWhen(due_at, timezone, nowMs));
  return why === undefined ? next : `${why} ${next}`;
}

function failedOutcome({ problem }: Text, heading: string, firstName: string): Outcome {
  const reason = problem?.message ?? OUTCOME.notSent;
  const mayText = problem?.code !== 'recipient_opted_out';
  const body = mayText ? `${reason} ${OUTCOME.sendYourself(firstName)}` : reason;
  return {
    heading,
    body,
    tone: 'bad',
    offersLink: mayText,
    ...(problem?.code === 'appointment_over' && { offersText: true }),
    ...(!mayText && { isFinal: true }),
  };
}

function textOutcome(text: Text, firstName: string, nowMs: number): Outcome {
  const { status } = text;
  if (status === 'not_delivered') return failedOutcome(text, OUTCOME.notDeliveredHeading, firstName);
  if (status === 'not_sent') return failedOutcome(text, OUTCOME.notSentHeading, firstName);
  const simulated = `${OUTCOME.simulated(firstName)} ${OUTCOME.sendYourself(firstName)}`;
  const outcomes: Record<typeof status, Omit<Outcome, 'offersLink'> & { offersLink?: true }> = {
    queued: { heading: OUTCOME.ready, body: OUTCOME.queued(firstName), tone: 'waiting' },
    scheduled: { heading: OUTCOME.ready, body: sayDelay(text, firstName, nowMs), tone: 'waiting' },
    sent: { heading: OUTCOME.sentHeading, body: OUTCOME.sent(firstName), tone: 'good' },
    delivered: { heading: OUTCOME.deliveredHeading, body: OUTCOME.delivered(firstName), tone: 'good' },
    by_hand: { heading: OUTCOME.sentHeading, body: OUTCOME.byHand(firstName), tone: 'good', offersLink: true },
    simulated: { heading: OUTCOME.simulatedHeading, body: simulated, tone: 'calm', offersLink: true },
  };
  return { offersLink: false, ...outcomes[status] };
}

/** Describes what has happened to the link of a recorded intro, and claims nothing that the server does not know. */
export function outcomeOf({ intro, organization }: RecorderState, nowMs: number): Outcome {
  const { status, delivery, text, opened, recipient } = intro;
  const { first_name: firstName } = recipient;
  if (opened) {
    return { heading: OUTCOME.openedHeading, body: OUTCOME.opened(firstName), tone: 'good', offersLink: true };
  }
  if (delivery === 'service') {
    const queued = { status: 'queued', due_at: null, reason: null, timezone: '', problem: null } as const;
    return textOutcome(text ?? queued, firstName, nowMs);
  }
  const isSent = status === 'sent';
  const heading = isSent ? OUTCOME.sentHeading : OUTCOME.ready;
  const say = isSent ? OUTCOME.integrationSent : OUTCOME.integration;
  return { heading, body: say(organization.name, firstName), tone: 'good', offersLink: true };
}
