import type { AuditAction, Intro, List, ListIntrosQuery } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { recordChange } from '../audit/index.ts';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { type KeyedRequest, once } from '../idempotency/index.ts';
import type { Links } from '../links/index.ts';
import type { Database, Queryable } from '../platform/db.ts';
import { type ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { LongPoll, WaitOptions, Watched } from '../platform/long-poll.ts';
import type { Answer } from '../platform/operations.ts';
import { readPage, readPeriod } from '../platform/paging.ts';
import type { TestClocks } from '../test-clock/index.ts';
import { fromStored, presentIntro, toStored } from './present.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { explainNotMarked, explainNotTakenDown, noSuchIntro } from './rules.ts';
import { listIntros } from './store/list.ts';
import { moveToCancelled, moveToSentBySender, takeDownPage } from './store/transitions.ts';
import { findIntro, findNewer, type IntroVersion, type IntroWithMember } from './store.ts';

async function find(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<IntroWithMember> {
  const row = ID_PATTERN.test(id) ? await findIntro(db, tenant, id) : null;
  if (row === null) throw noSuchIntro();
  return row;
}

/** Neither an empty page nor the end of the list would be true. */
const needsPeriod = (): ApiError =>
  invalid(
    'created_after',
    'is needed for this combination of filters: the newest 100,000 intros include none that match. ' +
      'Search one period at a time, with created_after and created_before',
  );

async function list(
  { db, links }: { db: Database<Tables>; links: Links },
  tenant: Tenant,
  query: ListIntrosQuery,
): Promise<List<Intro>> {
  let isComplete = true;
  const page = await readPage(query, {
    exists: async (id) => (await findIntro(db.kysely, tenant, id)) !== null,
    async rows({ limit, startingAfter: after }) {
      const { status: statuses = [], member: memberId, touchpoint, reference_id: referenceId } = query;
      const { recipient_phone: phone, metadata = {} } = query;
      // The parameter accepts any text. A value that is not an id matches no intro.
      if (memberId !== undefined && !ID_PATTERN.test(memberId)) return [];
      const period = readPeriod(query);
      const filter = { ...period, statuses, memberId, touchpoint, referenceId, phone, metadata, after, limit };
      const found = await listIntros(db.kysely, tenant, filter);
      isComplete = found.isComplete;
      if (!isComplete && found.rows.length === 0) throw needsPeriod();
      return found.rows;
    },
    present: (row) => presentIntro(row, links.pageUrl),
  });
  return isComplete ? page : { ...page, has_more: true };
}

export interface IntroService {
  retrieve(tenant: Tenant, id: string): Promise<Intro>;
  /** Runs the work once per key, like the function with this name. The stored response has no link. */
  once(request: KeyedRequest, work: (tx: Transaction<Tables>) => Promise<Intro>): Promise<Answer>;
  /** Also sees the uncommitted changes of the transaction. */
  retrieveWithin(tx: Transaction<Tables>, tenant: Tenant, id: string): Promise<Intro>;
  list(tenant: Tenant, query: ListIntrosQuery): Promise<List<Intro>>;
  /** Without a key: cancelled by the operator. */
  cancel(caller: Tenant & { keyId: string | null }, key: string, id: string, body: unknown): Promise<Answer>;
  markSent(tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer>;
  /** Without a key: by the operator. */
  takeDown(caller: Tenant & { keyId: string | null }, key: string, id: string, body: unknown): Promise<Answer>;
}

export function createIntroService(deps: {
  db: Database<Tables>;
  testClocks: TestClocks;
  links: Links;
  introEvents: IntroEvents;
}): IntroService {
  const { db, testClocks, links, introEvents } = deps;
  const present = (row: IntroWithMember) => presentIntro(row, links.pageUrl);

  const onceForIntro: IntroService['once'] = async (request, work) => {
    const answer = await once(
      db,
      request,
      async (tx) => {
        const intro = await work(tx);
        return { objectId: intro.id, body: toStored(intro) };
      },
      {
        async restore(tx, id) {
          const row = await findIntro(tx, request.tenant, id);
          return row === null ? null : toStored(present(row));
        },
      },
    );
    return { ...answer, body: fromStored(String(answer.body), links.pageUrl) };
  };

  /** Runs once per idempotency key. If the guarded statement moves nothing, `explain` decides whether that is an error. */
  function move(
    request: {
      tenant: Tenant;
      key: string;
      id: string;
      action: string;
      body: unknown;
      eventType: IntroEvent['type'];
    } & {
      audit?: AuditAction;
    },
    apply: (tx: Transaction<Tables>, now: Date) => Promise<boolean>,
    explain: (row: IntroWithMember) => ApiError | null,
  ): Promise<Answer> {
    const { tenant, key, id, action, body, eventType, audit } = request;
    const path = `/v1/intros/${id}/${action}`;
    return onceForIntro({ tenant, key, method: 'POST', path, body }, async (tx) => {
      const now = await testClocks.nowWithin(tx, tenant);
      const moved = ID_PATTERN.test(id) && (await apply(tx, now));
      const row = await find(tx, tenant, id);
      const refusal = moved ? null : explain(row);
      if (refusal !== null) throw refusal;
      if (moved) await introEvents.publish(tx, [{ tenant, introId: id, type: eventType }], now);
      if (moved && audit !== undefined) await recordChange(tx, tenant, { action: audit, object: id });
      return present(row);
    });
  }

  return {
    once: onceForIntro,
    retrieve: async (tenant, id) => present(await find(db.kysely, tenant, id)),
    retrieveWithin: async (tx, tenant, id) => present(await find(tx, tenant, id)),
    list: (tenant, query) => list(deps, tenant, query),
    cancel: (caller, key, id, body) =>
      move(
        { tenant: caller, key, id, action: 'cancel', body, eventType: 'intro.cancelled', audit: 'intro.cancelled' },
        (tx, now) => moveToCancelled(tx, caller, id, caller.keyId, now),
        () => null,
      ),
    markSent: (tenant, key, id, body) =>
      move(
        { tenant, key, id, action: 'mark_sent', body, eventType: 'intro.sent' },
        (tx, now) => moveToSentBySender(tx, tenant, id, { byHand: false, now }),
        (row) => explainNotMarked(row.status, row.responsibility),
      ),
    takeDown: (caller, key, id, body) =>
      move(
        {
          tenant: caller,
          key,
          id,
          action: 'take_down',
          body,
          eventType: 'intro.taken_down',
          audit: 'intro.taken_down',
        },
        (tx, now) => takeDownPage(tx, caller, id, caller.keyId, now),
        (row) => explainNotTakenDown(row.status),
      ),
  };
}

export type WaitForIntro = (
  tenant: Tenant,
  id: string,
  options: WaitOptions & { readonly knownVersion: number | undefined },
) => Promise<{ body: Intro }>;

/** Retrieves an intro once its version is higher than the known one. */
export function createWaitForIntro(deps: {
  db: Database<Tables>;
  intros: IntroService;
  longPoll: LongPoll;
}): WaitForIntro {
  const { db, intros, longPoll } = deps;
  const watched: Watched<IntroVersion> = { findChanged: (known) => findNewer(db.pool, known) };
  return (tenant, id, { knownVersion, ...options }) =>
    longPoll.retrieve(
      watched,
      {
        read: () => intros.retrieve(tenant, id),
        changeOf: ({ version }) =>
          version > (knownVersion ?? version) ? null : { tenant, id, version: knownVersion ?? version },
      },
      options,
    );
}
