/** Lists, searches and changes intros and events. */

import {
  type BulkAction,
  type BulkResult,
  COUNT_LIMIT,
  type ConsoleBody,
  type ConsoleEvent,
  type INTROS_OPERATIONS,
} from '@foreword/contract';
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
  cancelManually,
  countOpen,
  findIntro,
  handOver,
  problemsSince,
  readListRows,
  requireIntro,
  searchIntros,
  settleReplies,
  sortIntros,
} from '../../intros/index.ts';
import { findMember, listColleagues } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { listObjectWebhooks } from '../../webhooks/index.ts';
import { mayActAs } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { type IntroDeps, readDetail } from './detail.ts';
import { readEventFilters, readIntroFilters, readOutboxFilters, readSort } from './filters.ts';
import { presentEventRow, presentIntroRow, presentOutboxMessage, presentWebhook } from './present.ts';

type Deps = Pick<ConsoleDeps, 'db' | 'testClocks' | 'carriers' | 'introEvents' | 'reassign' | 'log'>;
type Body = ConsoleBody<'POST /intros/bulk'>;

const FAILED = 'Something went wrong. Try again.';

/** Fails the whole request, before it changes anything. */
async function requireValid({ db }: Deps, { tenant }: ConsoleUser, { action, member }: Body): Promise<void> {
  if (action !== 'reassign') {
    if (member !== undefined) throw invalid('member', 'is only for reassigning');
    return;
  }
  const row = member !== undefined && ID_PATTERN.test(member) ? await findMember(db.kysely, tenant, member) : null;
  if (row?.active !== true) throw invalid('member', 'must be an active member of this organization');
}

/** Returns null, or why nothing changed. */
async function apply(
  deps: Deps,
  tx: Tx,
  user: ConsoleUser,
  { action, member, id }: { action: BulkAction; member: string | undefined; id: string },
): Promise<ApiError | null> {
  const now = deps.testClocks.now(user.tenant);
  switch (action) {
    case 'cancel':
      return cancelManually(deps, tx, user.tenant, { introId: id, by: user.memberId }, now);
    case 'reassign':
      return deps.reassign(tx, user.tenant, { introId: id, memberId: member ?? '', by: user.memberId }, now);
    case 'remind':
      await remindManually(deps, tx, user.tenant, id, now);
      return null;
  }
}

/** Whether the intro already is as the action would leave it, for example because the request was repeated. */
async function isDone({ db }: Deps, { tenant }: ConsoleUser, { action, member }: Body, id: string, refusal: ApiError) {
  if (action === 'remind') return refusal.code === 'too_soon';
  const row = ID_PATTERN.test(id) ? await findIntro(db.kysely, tenant, id) : null;
  return action === 'cancel' ? row?.status === 'cancelled' : row?.status === 'requested' && row.member_id === member;
}

async function changeOne(deps: Deps, user: ConsoleUser, body: Body, id: string): Promise<BulkResult> {
  const { action, member } = body;
  try {
    const refusal = await deps.db.kysely
      .transaction()
      .execute((tx) => apply(deps, tx, user, { action, member, id }))
      .catch((error: unknown) => {
        if (error instanceof ApiError) return error;
        throw error;
      });
    if (refusal === null) return { id, outcome: 'done', reason: null };
    const isUnchanged = await isDone(deps, user, body, id, refusal);
    return { id, outcome: isUnchanged ? 'unchanged' : 'refused', reason: refusal.message };
  } catch (err) {
    // The others still get their result: some of them have changed already.
    deps.log.error({ err, intro: id, organization: user.tenant.organizationId }, 'an intro was not changed');
    return { id, outcome: 'refused', reason: FAILED };
  }
}

/** Changes several intros, each in a transaction of its own, so that one refusal or crash does not undo the others. */
const createBulkHandler =
  (deps: Deps): ConsoleHandlers['changeIntros'] =>
  async (user, { body }) => {
    await requireValid(deps, user, body);
    const results: BulkResult[] = [];
    for (const id of new Set(body.ids)) results.push(await changeOne(deps, user, body, id));
    return { results };
  };

type IntrosHandlers = Pick<ConsoleHandlers, keyof typeof INTROS_OPERATIONS>;

const presentScheduled = ({ messageId, dueAt, heldFor }: ManualSend) => ({
  message_id: messageId,
  due_at: dueAt.toISOString(),
  held_for: heldFor,
});

/** Members see only their own intros, whatever they filter for. */
const visibleMember = (user: ConsoleUser, wanted: string | undefined): string | undefined =>
  mayActAs(user.role, 'manager') ? wanted : user.memberId;

function createLists({ db, links, clock }: IntroDeps) {
  async function timezoneOf({ organizationId }: Tenant): Promise<string> {
    return (await findOrganization(db.kysely, organizationId))?.timezone ?? 'UTC';
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
  } satisfies Partial<IntrosHandlers>;
}

function createActions(deps: IntroDeps) {
  const { db, testClocks, reassign, decline } = deps;
  async function act(tenant: Tenant, move: (tx: Tx, now: Date) => Promise<ApiError | null>): Promise<void> {
    const refusal = await db.kysely.transaction().execute((tx) => move(tx, testClocks.now(tenant)));
    if (refusal !== null) throw refusal;
  }
  return {
    async reassignIntro(user, { params, body }) {
      const wanted = { introId: params.id, memberId: body.member, by: user.memberId };
      await act(user.tenant, (tx, now) => reassign(tx, user.tenant, wanted, now));
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
    async handOverIntro(user, { params, body: { member: to } }) {
      const { id: introId } = await requireIntro(db.kysely, user, params.id);
      const wanted = { introId, from: user.memberId, to };
      await act(user.tenant, (tx, now) => handOver({ reassign }, tx, user.tenant, wanted, now));
      return { to };
    },
    remindMember: (user, { params }) =>
      db.kysely
        .transaction()
        .execute(async (tx) =>
          presentScheduled(await remindManually(deps, tx, user.tenant, params.id, testClocks.now(user.tenant))),
        ),
    async settleReply(user, { params }) {
      const { id: introId } = await requireIntro(db.kysely, user, params.id);
      await db.kysely
        .transaction()
        .execute((tx) => settleReplies(tx, user.tenant, { introId, by: user.memberId }, testClocks.now(user.tenant)));
      return { settled: true };
    },
    sendAgain: (user, { params }) =>
      db.kysely
        .transaction()
        .execute(async (tx) =>
          presentScheduled(await resendManually(deps, tx, user.tenant, params.id, testClocks.now(user.tenant))),
        ),
  } satisfies Partial<IntrosHandlers>;
}

async function findRetryState(
  { db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>,
  tenant: Tenant,
  { id, status }: EventRow,
): Promise<ConsoleEvent['retry']> {
  if (status !== 'failed') return { possible: false, blocked_by: null };
  const failure = await explainRetry(db, tenant, id, clock());
  return { possible: failure === null, blocked_by: failure?.code ?? null };
}

export function createIntrosHandlers(deps: ConsoleDeps): IntrosHandlers {
  const { db } = deps;
  return {
    ...createLists(deps),
    ...createActions(deps),
    changeIntros: createBulkHandler(deps),
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
