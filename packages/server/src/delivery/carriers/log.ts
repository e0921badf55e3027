import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Carrier, Mail, Outcome, Text } from './carrier.ts';

const accepted = { kind: 'accepted', carrierId: null } as const;
const refuse = (code: DeliveryFailureCode): Outcome => ({ kind: 'refused', code, message: DELIVERY_FAILURES[code] });

/** Numbers that no network assigns, to test every outcome of a text. */
const MAGIC: Readonly<Record<string, (attempt: number) => Outcome>> = {
  '+15005550001': () => refuse('invalid_number'),
  '+15005550002': () => ({
    ...accepted,
    report: { status: 'undelivered', code: 'undelivered', message: DELIVERY_FAILURES.undelivered },
  }),
  '+15005550003': () => refuse('recipient_opted_out'),
  '+15005550004': (attempt) =>
    attempt > 1 ? accepted : { kind: 'later', message: 'This test number fails on the first attempt.' },
  '+15005550006': () => ({ ...accepted, report: { status: 'delivered', code: null, message: null } }),
};

/** Sends nothing: the row of the message is the log. */
export function createLogCarrier<Message extends Text | Mail>(): Carrier<Message> {
  return {
    name: 'log',
    isLocal: true,
    send: async ({ to, attempt }) => MAGIC[to]?.(attempt) ?? accepted,
    // The outcome is committed with the message, so a message in doubt was never accepted.
    lookUp: async () => ({ kind: 'absent' }),
    check: async () => ({ status: 'unset', message: 'Messages are only stored in the database, not sent.' }),
  };
}
