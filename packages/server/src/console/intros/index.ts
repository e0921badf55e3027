import { COUNT_LIMIT, type INTROS_OPERATIONS } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { listOutbox, type ManualSend, remindManually, resendManually } from '../../delivery/index.ts';
import { countOpenEvents, findEvent, retrieveEvent, retryEvent, searchEvents } from '../../events/index.ts';
import { cancelManually, countByStatus, markSentManually, readListRows, searchIntros } from '../../intros/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { retryRecording } from '../../recordings/index.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { mayActAs } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { type IntroDeps, readDetail, requireVisibleIntro } from './detail.ts';
import { readEventFilters, readIntroFilters, readOutboxFilters } from './filters.ts';
import { presentEventRow, presentIntroRow, presentOutboxMessage, presentWebhook } from './present.ts';

type IntrosHandlers = Pick<ConsoleHandlers, keyof typeof INTROS_OPERATIONS>;

const presentScheduled = ({ messageId, dueAt, heldFor }: ManualSend) => ({
  message_id: messageId,
  due_at: dueAt.toISOString(),
  held_for: heldFor,
});

/** Members see only their own intros, whatever they filter for. */
const visibleMember = (user: ConsoleUser, wanted: string | undefined): string | undefined =>
  mayActAs(user.role, 'manager') ? wanted : user.memberId;

function createLists({ db, links }: IntroDeps) {
  async function timezoneOf({ organizationId }: Tenant): Promise<string> {
    return (await findOrganization(db.kysely, organizationId))?.timezone ?? 'UTC';
  }
  return {
    async 'GET /intros'({ user, query }) {
      const filters = readIntroFilters(query, await timezoneOf(user.tenant));
      const search = { ...filters, memberId: visibleMember(user, filters.memberId) };
      const { ids, next } = await searchIntros(db.kysely, user.tenant, search);
      return { rows: (await readListRows(db.kysely, user.tenant, ids)).map(presentIntroRow), next };
    },
    async 'GET /intro-counts'({ user, query }) {
      const memberId = visibleMember(user, query.member);
      const [intros, events] = await Promise.all([
        countByStatus(db.kysely, user.tenant, { memberId, atMost: COUNT_LIMIT }),
        mayActAs(user.role, 'manager') ? countOpenEvents(db.kysely, user.tenant, COUNT_LIMIT) : null,
      ]);
      return { intros, events };
    },
    async 'GET /events'({ user, query }) {
      const filters = readEventFilters(query, await timezoneOf(user.tenant));
      const { rows, next } = await searchEvents(db.kysely, user.tenant, filters);
      return { rows: rows.map(presentEventRow), next };
    },
    async 'GET /messages'({ user, query }) {
      const { rows, next } = await listOutbox(db.kysely, user.tenant, readOutboxFilters(query));
      return { rows: rows.map((row) => presentOutboxMessage(links, row)), next };
    },
  } satisfies Partial<IntrosHandlers>;
}

function createActions(deps: IntroDeps) {
  const { db, testClocks, introEvents, reassign } = deps;
  async function act(
    tenant: Tenant,
    move: (tx: Transaction<Tables>, now: Date) => Promise<ApiError | null>,
  ): Promise<void> {
    const refusal = await db.kysely.transaction().execute((tx) => move(tx, testClocks.now(tenant)));
    if (refusal !== null) throw refusal;
  }
  return {
    async 'POST /intros/:id/cancel'({ user, params }) {
      const { id: introId } = await requireVisibleIntro(deps, user, params.id);
      await act(user.tenant, (tx, now) =>
        cancelManually({ introEvents }, tx, user.tenant, { introId, by: user.memberId }, now),
      );
      return { cancelled: true };
    },
    async 'POST /intros/:id/mark-sent'({ user, params }) {
      const { id: introId } = await requireVisibleIntro(deps, user, params.id);
      await act(user.tenant, (tx, now) =>
        markSentManually({ introEvents }, tx, user.tenant, { introId, by: user.memberId }, now),
      );
      return { sent: true };
    },
    async 'POST /intros/:id/retry-recording'({ user, params }) {
      const intro = await requireVisibleIntro(deps, user, params.id);
      await db.kysely.transaction().execute((tx) => retryRecording(deps, tx, user.tenant, intro));
      return { retried: true };
    },
    async 'POST /intros/:id/reassign'({ user, params, body }) {
      const wanted = { introId: params.id, memberId: body.member, by: user.memberId };
      await act(user.tenant, (tx, now) => reassign(tx, user.tenant, wanted, now));
      return { reassigned: true };
    },
    'POST /intros/:id/remind': ({ user, params }) =>
      db.kysely
        .transaction()
        .execute(async (tx) =>
          presentScheduled(await remindManually(deps, tx, user.tenant, params.id, testClocks.now(user.tenant))),
        ),
    'POST /intros/:id/send-again': ({ user, params }) =>
      db.kysely
        .transaction()
        .execute(async (tx) =>
          presentScheduled(await resendManually(deps, tx, user.tenant, params.id, testClocks.now(user.tenant))),
        ),
  } satisfies Partial<IntrosHandlers>;
}

export function createIntrosHandlers(deps: ConsoleDeps): IntrosHandlers {
  const { db, jobs } = deps;
  return {
    ...createLists(deps),
    ...createActions(deps),
    'GET /intros/:id': ({ user, params }) => readDetail(deps, user, params.id),
    async 'GET /events/:id'({ user, params: { id } }) {
      // Throws 404 for an unknown event.
      const raw = await retrieveEvent(db.kysely, user.tenant, id);
      const row = ID_PATTERN.test(id) ? await findEvent(db.kysely, user.tenant, id) : null;
      if (row === null) throw new Error('the console cannot find an event that the API finds');
      const webhooks = await deps.webhooks.ofObject(user.tenant, id);
      return { ...presentEventRow(row), request: row.request, raw, webhooks: webhooks.map(presentWebhook) };
    },
    async 'POST /events/:id/retry'({ user, params }) {
      await retryEvent({ db, jobs }, user.tenant, params.id);
      return { retried: true };
    },
  };
}
