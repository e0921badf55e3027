import { COUNT_LIMIT, type INTROS_OPERATIONS } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { listOutbox, type Promised, remindByHand, sendAgain } from '../../delivery/index.ts';
import { countOpenEvents, findEventListRow, retrieveEvent, retryEvent, searchEvents } from '../../events/index.ts';
import {
  cancelManually,
  countByStatus,
  markSentManually,
  readListRows,
  reassign,
  searchIntros,
} from '../../intros/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { listObjectWebhooks } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { mayActAs } from '../gate.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { Who } from '../sessions/service.ts';
import { type IntroDeps, readDetail, requireOwn } from './detail.ts';
import { readEventFilters, readIntroFilters, readOutboxFilters } from './filters.ts';
import { presentEventRow, presentIntroRow, presentOutboxMessage, presentWebhook } from './present.ts';

type Part = Pick<ConsoleHandlers, keyof typeof INTROS_OPERATIONS>;

const presentPromise = ({ messageId, dueAt, heldFor }: Promised) => ({
  message_id: messageId,
  due_at: dueAt.toISOString(),
  held_for: heldFor,
});

/** Members see their own alone, whatever they ask for. */
const memberSeenBy = (who: Who, asked: string | undefined): string | undefined =>
  mayActAs(who.role, 'manager') ? asked : who.memberId;

function createLists({ db }: IntroDeps) {
  async function timezoneOf({ organizationId }: Tenant): Promise<string> {
    return (await findOrganization(db.kysely, organizationId))?.timezone ?? 'UTC';
  }
  return {
    async 'GET /intros'({ who, query }) {
      const filters = readIntroFilters(query, await timezoneOf(who.tenant));
      const search = { ...filters, memberId: memberSeenBy(who, filters.memberId) };
      const { ids, next } = await searchIntros(db.kysely, who.tenant, search);
      return { rows: (await readListRows(db.kysely, who.tenant, ids)).map(presentIntroRow), next };
    },
    async 'GET /intro-counts'({ who, query }) {
      const memberId = memberSeenBy(who, query.member);
      const [intros, events] = await Promise.all([
        countByStatus(db.kysely, who.tenant, { memberId, atMost: COUNT_LIMIT }),
        mayActAs(who.role, 'manager') ? countOpenEvents(db.kysely, who.tenant, COUNT_LIMIT) : null,
      ]);
      return { intros, events };
    },
    async 'GET /events'({ who, query }) {
      const filters = readEventFilters(query, await timezoneOf(who.tenant));
      const { rows, next } = await searchEvents(db.kysely, who.tenant, filters);
      return { rows: rows.map(presentEventRow), next };
    },
    async 'GET /messages'({ who, query }) {
      const { rows, next } = await listOutbox(db.kysely, who.tenant, readOutboxFilters(query));
      return { rows: rows.map(presentOutboxMessage), next };
    },
  } satisfies Partial<Part>;
}

function createActions(deps: IntroDeps) {
  const { db, clock, links, introEvents } = deps;
  async function act(move: (tx: Transaction<Tables>, now: Date) => Promise<ApiError | null>): Promise<void> {
    const refusal = await db.kysely.transaction().execute((tx) => move(tx, clock()));
    if (refusal !== null) throw refusal;
  }
  return {
    async 'POST /intros/:id/cancel'({ who, params }) {
      const { id: introId } = await requireOwn(deps, who, params.id);
      await act((tx, now) => cancelManually({ introEvents }, tx, who.tenant, { introId, by: who.memberId }, now));
      return { cancelled: true };
    },
    async 'POST /intros/:id/mark-sent'({ who, params }) {
      const { id: introId } = await requireOwn(deps, who, params.id);
      await act((tx, now) => markSentManually({ introEvents }, tx, who.tenant, { introId, by: who.memberId }, now));
      return { sent: true };
    },
    async 'POST /intros/:id/reassign'({ who, params, body }) {
      const wanted = { introId: params.id, memberId: body.member, by: who.memberId };
      await act((tx, now) => reassign({ links, introEvents }, tx, who.tenant, wanted, now));
      return { reassigned: true };
    },
    'POST /intros/:id/remind': ({ who, params }) =>
      db.kysely
        .transaction()
        .execute(async (tx) => presentPromise(await remindByHand(tx, who.tenant, params.id, clock()))),
    'POST /intros/:id/send-again': ({ who, params }) =>
      db.kysely
        .transaction()
        .execute(async (tx) => presentPromise(await sendAgain(tx, who.tenant, params.id, clock()))),
  } satisfies Partial<Part>;
}

export function createIntrosHandlers(deps: ConsoleDeps): Part {
  const { db, jobs } = deps;
  return {
    ...createLists(deps),
    ...createActions(deps),
    'GET /intros/:id': ({ who, params }) => readDetail(deps, who, params.id),
    async 'GET /events/:id'({ who, params: { id } }) {
      // The first of them says what is not there.
      const raw = await retrieveEvent(db.kysely, who.tenant, id);
      const row = ID_PATTERN.test(id) ? await findEventListRow(db.kysely, who.tenant, id) : null;
      if (row === null) throw new Error('an event is there for the API and not for the console');
      const webhooks = await listObjectWebhooks(db.kysely, who.tenant, id);
      return { ...presentEventRow(row), request: row.request, raw, webhooks: webhooks.map(presentWebhook) };
    },
    async 'POST /events/:id/retry'({ who, params }) {
      await retryEvent({ db, jobs }, who.tenant, params.id);
      return { retried: true };
    },
  };
}
