import type { CreateIntro, CreateTouchpointEvent, ListIntrosQuery, ListMembersQuery } from '@foreword/contract';
import type { Caller } from './access/index.ts';
import { type EventAcceptor, retrieveEvent } from './events/index.ts';
import type { IntroCreator, IntroService } from './intros/index.ts';
import { listMembers } from './members/index.ts';
import type { Database } from './platform/db.ts';
import type { Handlers } from './platform/operations.ts';
import type { Tables } from './tables.ts';
import { listTouchpoints, presentTouchpoint } from './touchpoints/index.ts';

/** Each operation of the contract and who does it. Values have passed their schemas, so naming their types is all that is left. */
export function createHandlers(deps: {
  db: Database<Tables>;
  events: EventAcceptor;
  creator: IntroCreator;
  intros: IntroService;
}): Handlers<Caller> {
  const { db, events, creator, intros } = deps;
  return {
    createTouchpointEvent: ({ caller, idempotencyKey, body }) =>
      events.submit(caller, idempotencyKey, body as CreateTouchpointEvent),
    retrieveEvent: async ({ caller, params }) => ({ body: await retrieveEvent(db, caller, params.id) }),
    createIntro: ({ caller, idempotencyKey, body }) => creator.submit(caller, idempotencyKey, body as CreateIntro),
    listIntros: async ({ caller, query }) => ({ body: await intros.list(caller, query as ListIntrosQuery) }),
    retrieveIntro: async ({ caller, params }) => ({ body: await intros.retrieve(caller, params.id) }),
    cancelIntro: ({ caller, idempotencyKey, params, body }) => intros.cancel(caller, idempotencyKey, params.id, body),
    markIntroSent: ({ caller, idempotencyKey, params, body }) =>
      intros.markSent(caller, idempotencyKey, params.id, body),
    listTouchpoints: async ({ caller }) => {
      const rows = await listTouchpoints(db.kysely, caller);
      return { body: { object: 'list', data: rows.map(presentTouchpoint), has_more: false } };
    },
    listMembers: async ({ caller, query }) => ({ body: await listMembers(db, caller, query as ListMembersQuery) }),
  };
}
