import type { Services } from '../../app/services.ts';
import { type Tx, tenantOf } from '../../db/tenancy.ts';
import { dropMessagesOfIntros } from '../../delivery/index.ts';
import {
  closeOpenOf,
  type IntroEvent,
  type IntroEvents,
  lockShowing,
  type Reassign,
  takeDownSent,
} from '../../intros/index.ts';
import { clearPhoto, findMember } from '../../members/index.ts';
import { before } from '../../platform/clock.ts';
import { deletePicture, deleteTakeFiles, discardTakesOf, listTakesWithFiles } from '../../recordings/index.ts';
import { recordChange, recordChanges } from '../audit/index.ts';
import {
  claimRemoval,
  finishRemoval,
  type RemovalCounts,
  type RemovalRow,
  reopenRemovals,
  reportProgress,
} from './store.ts';

/** Withdrawals are promised to be complete within a minute. */
export const REMOVAL_INTERVAL_MS = 2_000;
/** How often members who withdrew are checked for intros that a concurrent request created. */
export const REOPEN_INTERVAL_MS = 10_000;
/** A worker reports progress far more often; after this long without, another one takes over. */
const ABANDONED_AFTER_MS = 15_000;
/** Intros in one transaction. */
const INTROS = 25;
/** Takes between two reports, and how many of them are deleted at once: each deletion may use a connection. */
const TAKES = 20;
const AT_ONCE = 3;

export interface RemovalDeps extends Pick<Services, 'db' | 'objects' | 'clock' | 'testClocks' | 'log'> {
  readonly introEvents: IntroEvents;
  readonly reassign: Reassign;
}

/** Another worker has taken over. */
class Lost extends Error {}

/** Closes, reassigns or takes down a batch of intros, with their webhooks. Null when none is left. */
async function settleIntros(
  { reassign, introEvents, testClocks }: RemovalDeps,
  tx: Tx,
  removal: RemovalRow,
): Promise<Partial<RemovalCounts> | null> {
  const tenant = tenantOf(removal);
  const { member_id: memberId, withdrawn_by: by, reassign_to: to } = removal;
  const now = testClocks.now(tenant);
  const intros = await lockShowing(tx, tenant, memberId, INTROS);
  if (intros.length === 0) return null;
  let reassigned = 0;
  const open: string[] = [];
  for (const { id, status } of intros) {
    // A recorded intro shows the member, so it can only be closed.
    const isMoved =
      status === 'requested' &&
      to !== null &&
      (await reassign(tx, tenant, { introId: id, memberId: to, by }, now)) === null;
    if (isMoved) reassigned += 1;
    else if (status !== 'sent') open.push(id);
  }
  const sent = intros.filter(({ status }) => status === 'sent').map(({ id }) => id);
  await closeOpenOf(tx, tenant, open, by, now);
  const takenDown = await takeDownSent(tx, tenant, sent, by, now);
  await dropMessagesOfIntros(tx, tenant, [...open, ...sent], now);
  const events = [
    ...open.map((introId): IntroEvent => ({ tenant, introId, type: 'intro.cancelled' })),
    ...takenDown.map((introId): IntroEvent => ({ tenant, introId, type: 'intro.taken_down' })),
  ];
  await introEvents.publish(tx, events, now);
  await recordChanges(tx, tenant, [
    ...open.map((object) => ({ action: 'intro.cancelled', object, by }) as const),
    ...takenDown.map((object) => ({ action: 'intro.taken_down', object, by }) as const),
  ]);
  return { closed: open.length, reassigned, taken_down: takenDown.length };
}

/** Everything that a withdrawal removes. Each step is repeated until it finds nothing, so it can start again after a crash. */
async function remove(deps: RemovalDeps, claimed: RemovalRow): Promise<RemovalRow> {
  const { db, objects, clock } = deps;
  const tenant = tenantOf(claimed);
  const memberId = claimed.member_id;
  let removal = claimed;
  const report = async (tx: Tx | typeof db.kysely, done: Partial<RemovalCounts>) => {
    const renewed = await reportProgress(tx, removal, done, clock());
    if (renewed === null) throw new Lost();
    return renewed;
  };
  // First, so that encoders stop and an intro with a take in the queue can be reassigned.
  await discardTakesOf(db.kysely, tenant, memberId, clock());
  let renewed: RemovalRow | null;
  do {
    renewed = await db.kysely.transaction().execute(async (tx) => {
      const done = await settleIntros(deps, tx, removal);
      return done === null ? null : report(tx, done);
    });
    removal = renewed ?? removal;
  } while (renewed !== null);
  // Again: a take may have been published between the two steps.
  await discardTakesOf(db.kysely, tenant, memberId, clock());
  let after = '';
  let videos = 0;
  for (;;) {
    const takes = await listTakesWithFiles(db.kysely, tenant, memberId, { after, limit: TAKES });
    const last = takes.at(-1);
    if (last === undefined) break;
    const queue = takes.values();
    const work = async () => {
      for (const take of queue) await deleteTakeFiles({ db, objects, clock }, take);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    after = last.id;
    videos += takes.length;
    removal = await report(db.kysely, { videos });
  }
  const photo = (await findMember(db.kysely, tenant, memberId))?.photo ?? null;
  if (photo !== null) {
    await deletePicture(objects, photo);
    await clearPhoto(db.kysely, tenant, memberId, photo);
  }
  return removal;
}

/** Processes pending removals one at a time. Several nodes share the work. */
export async function removeWithdrawn(deps: RemovalDeps): Promise<void> {
  const { db, clock, log } = deps;
  for (;;) {
    const now = clock();
    const claimed = await claimRemoval(db.kysely, { now, abandonedBefore: before(now, ABANDONED_AFTER_MS) });
    if (claimed === null) return;
    try {
      const removal = await remove(deps, claimed);
      const { organization_id: organization, member_id: member, ...row } = removal;
      await db.kysely.transaction().execute(async (tx) => {
        if (!(await finishRemoval(tx, removal, clock()))) throw new Lost();
        await recordChange(tx, tenantOf(removal), { action: 'likeness.removed', object: member });
      });
      const { closed, reassigned, taken_down, videos } = row;
      log.info({ organization, member, closed, reassigned, taken_down, videos }, 'likeness of a member removed');
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
    }
  }
}

/** Finds intros and photos of members who withdrew that a concurrent request has added. */
export const reopenWithdrawn = ({ db }: Pick<RemovalDeps, 'db'>): Promise<void> => reopenRemovals(db.kysely);
