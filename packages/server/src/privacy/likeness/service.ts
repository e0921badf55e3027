import { iso, type Language, type Likeness, type LikenessConsent } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { type Row, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import { dropMessagesOfIntros } from '../../delivery/index.ts';
import {
  closeOpenOf,
  type IntroEvent,
  type IntroEvents,
  lockShowing,
  type Reassign,
  takeDownSent,
} from '../../intros/index.ts';
import {
  clearPhoto,
  endLikeness,
  findMember,
  lockLikeness,
  memberNotFound,
  restoreLikeness,
} from '../../members/index.ts';
import { before } from '../../platform/clock.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import { pick } from '../../platform/json.ts';
import { isDenied } from '../../platform/objects/index.ts';
import { deletePicture, deleteTakeFiles, discardTakesOf, listTakesWithFiles } from '../../recordings/index.ts';
import { recordChange, recordChanges } from '../audit/index.ts';
import {
  type ConsentRow,
  claimRemoval,
  endConsents,
  findRemoval,
  finishRemoval,
  type GivenConsent,
  insertConsent,
  insertRemoval,
  type RemovalCounts,
  type RemovalRow,
  reopenRemovals,
  reportProgress,
  type Withdrawal,
} from './store.ts';
import { consentText, currentConsentText, type ShownConsent, type ShownVersion, wholeText } from './texts.ts';

const toRow = (memberId: string, shown: ShownConsent, by: GivenConsent['given_by'], now: Date): GivenConsent => ({
  id: newId('lik', now),
  member_id: memberId,
  version: shown.version,
  language: shown.language,
  text: wholeText(shown),
  given_by: by,
});

async function store(tx: Tx, tenant: Tenant, consent: GivenConsent, now: Date): Promise<void> {
  if (!(await insertConsent(tx, tenant, consent, now))) return;
  await recordChange(tx, tenant, { action: 'likeness.given', object: consent.member_id, by: consent.member_id });
}

/**
 * Stores the consent that a member gives by recording, in the transaction that creates the upload. Returns false when the member
 * has withdrawn it: the lock makes a withdrawal and a new upload run one after the other.
 */
export async function consentByRecording(
  tx: Tx,
  tenant: Tenant,
  {
    memberId,
    organization,
    shown,
  }: { readonly memberId: string; readonly organization: string; readonly shown: ShownVersion | null },
  now: Date,
): Promise<boolean> {
  if ((await lockLikeness(tx, tenant, memberId)) !== null) return false;
  const text = shown && consentText(shown.version, shown.language, organization);
  if (text !== null) await store(tx, tenant, toRow(memberId, text, 'recording', now), now);
  return true;
}

/** The member gives the consent in the console, for the first time or again. */
export async function giveConsent(
  tx: Tx,
  tenant: Tenant,
  member: { readonly id: string; readonly organization: string; readonly language: Language },
  now: Date,
): Promise<void> {
  const removal = await findRemoval(tx, tenant, member.id);
  if (removal !== null && removal.finished_at === null) {
    throw new ApiError('edit_conflict', 'Your videos are still being removed. Try again in a minute.');
  }
  await restoreLikeness(tx, tenant, member.id);
  const text = currentConsentText(member.language, member.organization);
  await store(tx, tenant, toRow(member.id, text, 'console', now), now);
}

async function requireSuccessor(tx: Tx, tenant: Tenant, id: string, leaver: string): Promise<void> {
  const found = ID_PATTERN.test(id) && id !== leaver ? await findMember(tx, tenant, id) : null;
  if (found?.active !== true || found.likeness_withdrawn_at !== null) {
    throw invalid('to', 'must be another active member of your organization who can record');
  }
}

/**
 * From the commit on, no page, preview or file shows the member, and no one can record as them. A worker then closes the intros
 * and deletes the files. Withdrawing twice is harmless: false if it was withdrawn before.
 */
export async function withdrawConsent(tx: Tx, tenant: Tenant, withdrawal: Withdrawal, now: Date): Promise<boolean> {
  const { memberId, by, reassignTo } = withdrawal;
  if (!ID_PATTERN.test(memberId) || (await findMember(tx, tenant, memberId)) === null) throw memberNotFound();
  if (reassignTo !== null) await requireSuccessor(tx, tenant, reassignTo, memberId);
  if (!(await endLikeness(tx, tenant, memberId, now))) return false;
  await endConsents(tx, tenant, { id: newId('lik', now), memberId, by }, now);
  await insertRemoval(tx, tenant, withdrawal, now);
  await recordChange(tx, tenant, {
    action: 'likeness.withdrawn',
    object: memberId,
    by,
    ...(reassignTo !== null && { related: reassignTo }),
  });
  return true;
}

function whoWithdrew({ member_id, withdrawn_at, withdrawn_by }: ConsentRow): LikenessConsent['withdrawn_by'] {
  if (withdrawn_at === null) return null;
  if (withdrawn_by === null) return 'operator';
  return withdrawn_by === member_id ? 'member' : 'owner';
}

const presentConsent = (row: ConsentRow): LikenessConsent => ({
  ...pick(row, 'id', 'version', 'language', 'text', 'given_at', 'given_by', 'withdrawn_at'),
  withdrawn_by: whoWithdrew(row),
});

/** A member's consent as the console and the command show it. */
export function presentLikeness(
  member: Pick<Row<'members'>, 'likeness_withdrawn_at'>,
  { consents, removal, text }: { consents: readonly ConsentRow[]; removal: RemovalRow | null; text: ShownConsent },
): Omit<Likeness, 'open_intros' | 'live_pages' | 'colleagues'> {
  const { likeness_withdrawn_at: withdrawnAt } = member;
  const isGiven = consents.some(({ withdrawn_at }) => withdrawn_at === null);
  return {
    state: withdrawnAt !== null ? 'withdrawn' : isGiven ? 'given' : 'not_given',
    withdrawn_at: iso(withdrawnAt),
    removal: removal && pick(removal, 'finished_at', 'closed', 'reassigned', 'taken_down', 'videos'),
    text: { version: text.version, short: text.short, paragraphs: text.paragraphs },
    consents: consents.map(presentConsent),
  };
}

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

interface RemovalDeps extends Pick<Services, 'db' | 'objects' | 'clock' | 'testClocks' | 'log'> {
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
      (await reassign(tx, tenant, { introIds: [id], memberId: to, by }, now)) === null;
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
  // Files that may not be deleted keep the removal from being finished, and no others from being deleted.
  const denials: unknown[] = [];
  for (;;) {
    const takes = await listTakesWithFiles(db.kysely, tenant, memberId, { after, limit: TAKES });
    const last = takes.at(-1);
    if (last === undefined) break;
    const queue = takes.values();
    const work = async () => {
      for (const take of queue) {
        await deleteTakeFiles({ db, objects, clock }, take).catch((error: unknown) => {
          if (!isDenied(error)) throw error;
          denials.push(error);
        });
      }
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
  if (denials.length > 0) throw denials[0];
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
