import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Carrier, Mail, Outcome, Text, TextCarrier } from './carrier.ts';

const refuse = (code: DeliveryFailureCode): Outcome => ({ kind: 'refused', code, message: DELIVERY_FAILURES[code] });
const accepted = { kind: 'accepted', carrierId: null } as const;
const delivered: Outcome = { ...accepted, report: { status: 'delivered', code: null, message: null } };

/** Numbers whose texts are not delivered at the first attempt, to test every outcome. */
const OUTCOMES: Readonly<Record<string, (attempt: number) => Outcome>> = {
  '+15005550001': () => refuse('invalid_number'),
  '+15005550002': () => ({
    ...accepted,
    report: { status: 'undelivered', code: 'undelivered', message: DELIVERY_FAILURES.undelivered },
  }),
  '+15005550003': () => refuse('recipient_opted_out'),
  '+15005550004': (attempt) =>
    attempt > 1 ? delivered : { kind: 'later', message: 'This test number fails on the first attempt.' },
};

// The outcome is committed with the message, so a message in doubt was never accepted.
const lookUp = async () => ({ kind: 'absent' }) as const;

const NOT_CONNECTED = {
  no_text_provider: 'No text provider is connected.',
  no_email_provider: 'No email provider is connected.',
} as const;

/** Used when no provider is connected. Sends nothing; the message is only stored. */
export const createLogCarrier = <Message extends Text | Mail>(
  code: 'no_text_provider' | 'no_email_provider',
): Carrier<Message> => ({
  name: 'log',
  send: async () => refuse(code),
  lookUp,
  check: async () => ({ status: 'unset', message: NOT_CONNECTED[code] }),
});

/** Simulates the outcomes of texts to test numbers. Sends nothing. */
export const simulatedCarrier: TextCarrier = {
  name: 'simulated',
  send: async ({ to, attempt }) => OUTCOMES[to]?.(attempt) ?? delivered,
  lookUp,
  check: async () => ({ status: 'ok', message: 'Texts to test numbers are simulated.' }),
};
