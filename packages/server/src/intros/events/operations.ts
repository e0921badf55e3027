import type { Services } from '../../app/services.ts';
import type { ObjectOfTenant } from '../../db/tenancy.ts';
import type { Handlers } from '../../http/index.ts';
import type { LongPoll, Watched } from '../../platform/long-poll.ts';
import type { TestClocks } from '../../testing/clock/index.ts';
import { appointmentHint, type ErasedNumbers } from '../index.ts';
import { answerDryRun, type EventAcceptor, listEvents, retrieveEvent, retryEvent } from './service.ts';
import { findSettled } from './store.ts';

export const eventAcceptance = ({
  events,
  testClocks,
}: {
  readonly events: EventAcceptor;
  readonly testClocks: TestClocks;
}) =>
  ({
    createTouchpointEvent: async (caller, { body }, key) => ({
      ...(await events.submit(caller, key, body)),
      hint: appointmentHint(body.context?.appointment, testClocks.now(caller)),
    }),
  }) satisfies Partial<Handlers>;

export function eventOperations(
  deps: Pick<Services, 'db' | 'clock'> & {
    readonly erasedOptOuts: ErasedNumbers;
    readonly longPoll: LongPoll;
  },
) {
  const { db, clock, longPoll } = deps;
  const watched: Watched<ObjectOfTenant> = { findChanged: (waiting) => findSettled(db.pool, waiting) };
  return {
    listEvents: (caller, { query }) => listEvents(db.kysely, caller, query),
    retrieveEvent: (caller, { params: { id }, query: { wait: seconds = 0 }, waiting: client }) =>
      longPoll.retrieve(
        watched,
        {
          read: () => retrieveEvent(db.kysely, caller, id),
          changeOf: ({ status }) => (status === 'accepted' ? { tenant: caller, id } : null),
        },
        { seconds, client },
      ),
    retryEvent: {
      run: (tx, caller, { params }) => retryEvent(tx, caller, params.id),
      restore: (tx, caller, { params }) => retrieveEvent(tx, caller, params.id),
    },
    dryRun: (caller, { body }) => answerDryRun(deps, caller, body, clock()),
  } satisfies Partial<Handlers>;
}
