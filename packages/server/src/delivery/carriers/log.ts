import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Carrier, Mail, Outcome, Text } from './carrier.ts';

const accepted = { kind: 'accepted', carrierId: null } as const;
const refuse = (code: DeliveryFailureCode): Outcome => ({ kind: 'refused', code, message: DELIVERY_FAILURES[code] });

/** Numbers that no network gives to anybody, for tests of what can happen to a text. */
const MAGIC: Readonly<Record<string, (attempt: number) => Outcome>> = {
  '+15005550001': () => refuse('invalid_number'),
  '+15005550002': () => ({
    ...accepted,
    report: { status: 'undelivered', code: 'undelivered', message: DELIVERY_FAILURES.undelivered },
  }),
  '+15005550003': () => refuse('recipient_opted_out'),
  '+15005550004': (attempt) =>
    attempt > 1 ? accepted : { kind: 'later', message: 'Not now, as this number asks for.' },
  '+15005550006': () => ({ ...accepted, report: { status: 'delivered', code: null, message: null } }),
};

/** Keeps what it gets, in the row of the message itself, and sends nothing. */
export function createLogCarrier<Message extends Text | Mail>(): Carrier<Message> {
  return {
    name: 'log',
    isLocal: true,
    send: async ({ to, attempt }) => MAGIC[to]?.(attempt) ?? accepted,
    // What it took stands in the row with its outcome, or it took nothing.
    look: async () => ({ kind: 'absent' }),
    check: async () => ({ status: 'unset', message: 'Nothing leaves: messages are kept in the database alone.' }),
  };
}
