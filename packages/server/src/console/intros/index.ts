/** Lists, searches and changes intros and events. */

import { COUNT_LIMIT, type ConsoleEvent, type INTROS_OPERATIONS } from '@foreword/contract';
import type { Tenant, Tx } from '../../db/tenancy.ts';
import { listOutbox, type ManualSend, remindManually, resendManually } from '../../delivery/index.ts';
import {
  countOpenEvents,
  type EventRow,
  explainRetry,
  findEvent,
  retrieveEvent,
  searchEvents,
} from '../../intros/events/index.ts';
import {
  countOpen,
  handOver,
  problemsSince,
  readListRows,
  requireIntro,
  searchIntros,
  settleReplies,
  sortIntros,
} from '../../intros/index.ts';
import { listColleagues } from '../../members/index.ts';
import type { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { listObjectWebhooks } from '../../webhooks/index.ts';
import { mayActAs } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, requireOrganization } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { readDetail } from './detail.ts';
import { readEventFilters, readIntroFilters, readOutboxFilters, readSort } from './filters.ts';
import { presentEventRow, presentIntroRow, presentOutboxMessage, presentWebhook } from './present.ts';

const presentScheduled = ({ messageId, dueAt, heldFor }: ManualSend) => ({
  message_id: messageId,
  due_at: dueAt.toISOString(),
  held_for: heldFor,
});

/** Members see only their own intros, whatever they filter for. */
const visibleMember = (user: ConsoleUser, wanted: string | undefined): string | undefined =>
  mayActAs(user.role, 'manager') ? wanted : user.memberId;

async function findRetryState(
  { db, clock }: ConsoleDeps,
  tenant: Tenant,
  { id, status }: EventRow,
): Promise<ConsoleEvent['retry']> {
  if (status !== 'failed') return { possible: false, blocked_by: null };
  const failure = await explainRetry(db, tenant, id, clock());
  return { possible: failure === null, blocked_by: failure?.code ?? null };
}

export function createIntrosHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof INTROS_OPERATIONS> {
  const { db, clock, testClocks, links, reassign, decline } = deps;
  const timezoneOf = async (tenant: Tenant) => (await requireOrganization(db.kysely, tenant)).timezone;
  const within = <T>(tenant: Tenant, change: (tx: Tx, now: Date) => Promise<T>) =>
    db.kysely.transaction().execute((tx) => change(tx, testClocks.now(tenant)));
  async function act(tenant: Tenant, move: (tx: Tx, now: Date) => Promise<ApiError | null>): Promise<void> {
    const refusal = await within(tenant, move);
    if (refusal !== null) throw refusal;
  }

  return {
    async searchIntros(user, { query }) {
      const now = clock();
      const filters = readIntroFilters(query, await timezoneOf(user.tenant), now);
      const search = { ...filters, memberId: visibleMember(user, filters.memberId) };
      const order = readSort(query);
      const { ids, next } =
        order === null
          ? await searchIntros(db.kysely, user.tenant, search)
          : await sortIntros(db.kysely, user.tenant, search, order);
      const rows = await readListRows(db.kysely, user.tenant, ids);
      return { rows: rows.map((row) => presentIntroRow(row, now)), next };
    },
    async countIntros(user, { query }) {
      const memberId = visibleMember(user, query.member);
      const [intros, events] = await Promise.all([
        countOpen(db.kysely, user.tenant, { memberId, since: problemsSince(clock()), atMost: COUNT_LIMIT }),
        mayActAs(user.role, 'manager') ? countOpenEvents(db.kysely, user.tenant, COUNT_LIMIT) : null,
      ]);
      return { intros, events };
    },
    async searchEvents(user, { query }) {
      const filters = readEventFilters(query, await timezoneOf(user.tenant));
      const { rows, next } = await searchEvents(db.kysely, user.tenant, filters);
      return { rows: rows.map(presentEventRow), next };
    },
    async searchMessages(user, { query }) {
      const { rows, next } = await listOutbox(db.kysely, user.tenant, readOutboxFilters(query));
      return { rows: rows.map((row) => presentOutboxMessage(links, row)), next };
    },
    async reassignIntro(user, { params, body: { member } }) {
      const { tenant, memberId } = user;
      const { id: introId } = await requireIntro(db.kysely, user, params.id);
      await act(tenant, (tx, now) =>
        mayActAs(user.role, 'manager')
          ? reassign(tx, tenant, { introIds: [introId], memberId: member, by: memberId }, now)
          : handOver({ reassign }, tx, tenant, { introId, from: memberId, to: member }, now),
      );
      return { reassigned: true };
    },
    async declineIntro(user, { params, body: { reason, message = null } }) {
      const { id: introId } = await requireIntro(db.kysely, user, params.id);
      const wanted = { introId, memberId: user.memberId, reason, message: message || null };
      await act(user.tenant, (tx, now) => decline(tx, user.tenant, wanted, now));
      return { declined: true };
    },
    listColleagues: async (user) => ({
      colleagues: await listColleagues(db.kysely, user.tenant, user.memberId),
    }),
    remindMember: async ({ tenant }, { params }) =>
      presentScheduled(await within(tenant, (tx, now) => remindManually(deps, tx, tenant, params.id, now))),
    async settleReply(user, { params }) {
      const { id: introId } = await requireIntro(db.kysely, user, params.id);
      const settled = { introId, by: user.memberId };
      await within(user.tenant, (tx, now) => settleReplies(tx, user.tenant, settled, now));
      return { settled: true };
    },
    sendAgain: async ({ tenant }, { params }) =>
      presentScheduled(await within(tenant, (tx, now) => resendManually(deps, tx, tenant, params.id, now))),
    readIntro: (user, { params }) => readDetail(deps, user, params.id),
    async readEvent(user, { params: { id } }) {
      // Throws 404 for an unknown event.
      const raw = await retrieveEvent(db.kysely, user.tenant, id);
      const row = ID_PATTERN.test(id) ? await findEvent(db.kysely, user.tenant, id) : null;
      if (row === null) throw new Error('the console cannot find an event that the API finds');
      const [webhooks, retry] = await Promise.all([
        listObjectWebhooks(db.kysely, deps.contents, user.tenant, id),
        findRetryState(deps, user.tenant, row),
      ]);
      return {
        ...presentEventRow(row),
        retry,
        request: row.request,
        raw,
        webhooks: webhooks.map(presentWebhook),
      };
    },
  };
}
