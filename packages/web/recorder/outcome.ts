import type { RecorderState } from '@foreword/contract';
import { OUTCOME } from '#recorder-texts';
import { sayWhen } from './appointment.ts';

/** The last screen's message about the link. */
export interface Outcome {
  heading: string;
  body: string;
  /** `waiting`: nothing is wrong, and the recipient does not have the link yet. */
  tone: 'good' | 'waiting' | 'bad';
  /** Whether the member may send the link themselves, because no text does. */
  offersLink: boolean;
  /** Whether the member may have the text sent although it is not sent automatically. */
  offersText?: boolean;
}

type Text = NonNullable<RecorderState['intro']['text']>;

const OPTED_OUT = 'recipient_opted_out';
const APPOINTMENT_OVER = 'appointment_over';
const ACCOUNT_FAULT = 'carrier_account';

function sayDelay({ due_at, reason, timezone }: Text, firstName: string, nowMs: number): string {
  if (reason === 'unknown_outcome') return OUTCOME.inDoubt;
  if (reason === 'texts_paused') return OUTCOME.paused(firstName);
  if (reason === ACCOUNT_FAULT) return OUTCOME.held(firstName);
  const why = OUTCOME.delays[reason ?? ''];
  const next =
    due_at === null ? OUTCOME.queued(firstName) : OUTCOME.scheduled(firstName, sayWhen(due_at, timezone, nowMs));
  return why === undefined ? next : `${why} ${next}`;
}

function failedOutcome({ problem }: Text, heading: string, firstName: string): Outcome {
  const reason = problem?.message ?? OUTCOME.notSent;
  const mayText = problem?.code !== OPTED_OUT;
  const body = mayText ? `${reason} ${OUTCOME.sendYourself(firstName)}` : reason;
  return {
    heading,
    body,
    tone: 'bad',
    offersLink: mayText,
    ...(problem?.code === APPOINTMENT_OVER && { offersText: true }),
  };
}

const queuedOutcome = (firstName: string): Outcome => ({
  heading: OUTCOME.ready,
  body: OUTCOME.queued(firstName),
  tone: 'waiting',
  offersLink: false,
});

function textOutcome(text: Text, firstName: string, nowMs: number): Outcome {
  const { ready, sentHeading, deliveredHeading } = OUTCOME;
  switch (text.status) {
    case 'queued':
      return queuedOutcome(firstName);
    case 'scheduled':
      return { heading: ready, body: sayDelay(text, firstName, nowMs), tone: 'waiting', offersLink: false };
    case 'sent':
      return { heading: sentHeading, body: OUTCOME.sent(firstName), tone: 'good', offersLink: false };
    case 'delivered':
      return { heading: deliveredHeading, body: OUTCOME.delivered(firstName), tone: 'good', offersLink: false };
    case 'by_hand':
      return { heading: sentHeading, body: OUTCOME.byHand(firstName), tone: 'good', offersLink: true };
    case 'simulated': {
      const body = `${OUTCOME.simulated(firstName)} ${OUTCOME.sendYourself(firstName)}`;
      return { heading: OUTCOME.notSentHeading, body, tone: 'bad', offersLink: true };
    }
    case 'not_delivered':
      return failedOutcome(text, OUTCOME.notDeliveredHeading, firstName);
    case 'not_sent':
      return failedOutcome(text, OUTCOME.notSentHeading, firstName);
  }
}

/** Describes what has happened to the link of a recorded intro, and claims nothing that the server does not know. */
export function outcomeOf({ intro, organization }: RecorderState, nowMs: number): Outcome {
  const { status, delivery, text, opened, recipient } = intro;
  const { first_name: firstName } = recipient;
  if (opened) {
    return { heading: OUTCOME.openedHeading, body: OUTCOME.opened(firstName), tone: 'good', offersLink: true };
  }
  if (delivery === 'service') {
    return text === null ? queuedOutcome(firstName) : textOutcome(text, firstName, nowMs);
  }
  const isSent = status === 'sent';
  const heading = isSent ? OUTCOME.sentHeading : OUTCOME.ready;
  const say = isSent ? OUTCOME.integrationSent : OUTCOME.integration;
  return { heading, body: say(organization.name, firstName), tone: 'good', offersLink: true };
}
