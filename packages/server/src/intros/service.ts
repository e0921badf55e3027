import {
  type AuditAction,
  DAY_MS,
  type DeactivateMember,
  type Intro,
  type IntroReplyType,
  type IntroStatus,
  type Responsibility,
} from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { type Tenant, type Tx, tenantOf } from '../db/tenancy.ts';
import type { Clock, TestTime } from '../platform/clock.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { recordChange, recordChanges } from '../privacy/audit/index.ts';
import { lockForStep } from '../testing/clock/index.ts';
import { isFailure, renderContent } from './decision.ts';
import type { Links } from './links/index.ts';
import type { IntroEvent, IntroEvents } from './present.ts';
import {
  DECLINES_PER_HOUR,
  declineTimes,
  explainNotCancelled,
  explainNotCorrected,
  explainNotDeclined,
  explainNotMarked,
  explainNotRequested,
  explainNotTakenDown,
  HAND_OVERS_PER_DAY,
  MOVES,
  noLongerTheirs,
  noSuchIntro,
  readAppointment,
} from './rules.ts';
import { lockOpenByMember } from './store/members.ts';
import {
  countHandOvers,
  findDeclineState,
  findReassignmentState,
  insertDecline,
  listTemplates,
  type NewDecline,
  type ReassignedIntro,
  type Reassignment,
  reassignIntros,
  saveContents,
} from './store/reassignment.ts';
import { findLastAnswer, insertAnswer, insertReply, readLastReplies, settleReplies } from './store/replies.ts';
import {
  cancelOpen,
  type ExpiryScope,
  moveToCancelled,
  moveToExpired,
  moveToExpiredNow,
  moveToSentBySender,
  takeDownPage,
} from './store/transitions.ts';
import { findIntro } from './store.ts';

interface ManualAction {
  readonly introId: string;
  /** The member or API key who decided it. Null: the operator. */
  readonly by: string | null;
}

/** Runs in the caller's transaction. Returns null, or why the intro did not change. */
type ManualMove = (
  deps: { introEvents: IntroEvents },
  tx: Tx,
  tenant: Tenant,
  wanted: ManualAction,
  now: Date,
) => Promise<ApiError | null>;

/** Without an `audit` action, the move appears in the timeline only. */
const manually =
  (
    { type, audit }: { readonly type: IntroEvent['type']; readonly audit: AuditAction | null },
    apply: (tx: Tx, tenant: Tenant, wanted: ManualAction, now: Date) => Promise<boolean>,
    explain: (status: IntroStatus, responsibility: Responsibility) => ApiError | null,
  ): ManualMove =>
  async ({ introEvents }, tx, tenant, wanted, now) => {
    const { introId, by } = wanted;
    if (!ID_PATTERN.test(introId)) return noSuchIntro();
    if (await apply(tx, tenant, wanted, now)) {
      await introEvents.publish(tx, [{ tenant, introId, type }], now);
      if (audit !== null) await recordChange(tx, tenant, { action: audit, object: introId, by });
      return null;
    }
    const row = await findIntro(tx, tenant, introId);
    return row === null ? noSuchIntro() : explain(row.status, row.responsibility);
  };

export const cancelManually = manually(
  { type: 'intro.cancelled', audit: 'intro.cancelled' },
  (tx, tenant, { introId, by }, now) => moveToCancelled(tx, tenant, introId, by, now),
  explainNotCancelled,
);

const markSent = (byHand: boolean): ManualMove =>
  manually(
    { type: 'intro.sent', audit: null },
    (tx, tenant, { introId }, now) => moveToSentBySender(tx, tenant, introId, { byHand, now }),
    explainNotMarked,
  );

/** For an intro that a member sent themselves. */
export const markSentManually = markSent(true);

/** For an intro that the integration delivers. */
export const markSentByIntegration = markSent(false);

/** Taking a page down twice is harmless. */
export const takeDownManually = manually(
  { type: 'intro.taken_down', audit: 'intro.taken_down' },
  (tx, tenant, { introId, by }, now) => takeDownPage(tx, tenant, introId, by, now),
  explainNotTakenDown,
);

const isOneOf = (status: IntroStatus, some: readonly IntroStatus[]): boolean => some.includes(status);

/** Taking a page down again changes nothing, so the console offers it only once. */
function explainNoPage(status: IntroStatus, takenDownAt: Date | null): ApiError | null {
  if (takenDownAt !== null) return new ApiError('intro_closed', 'The page of this intro was already taken down.');
  return status === 'sent'
    ? null
    : (explainNotTakenDown(status) ?? new ApiError('intro_closed', 'The links of this intro no longer work.'));
}

/** Why each action is not possible now; null if it is. */
export function checkMoves({
  status,
  responsibility,
  delivery_error_code,
  taken_down_at: takenDownAt,
  hasPendingTake,
}: {
  readonly status: IntroStatus;
  readonly responsibility: Responsibility;
  readonly delivery_error_code: string | null;
  readonly taken_down_at: Date | null;
  readonly hasPendingTake: boolean;
}): Record<'cancel' | 'reassign' | 'markSent' | 'takeDown' | 'correctPhone', ApiError | null> {
  const isBySender = responsibility === 'integration' || delivery_error_code !== null;
  const isMarkable = isOneOf(status, MOVES.send.from) && isBySender;
  return {
    cancel: isOneOf(status, MOVES.cancel.from) ? null : explainNotCancelled(status),
    reassign: status === 'requested' && !hasPendingTake ? null : explainNotRequested(status),
    // Marking twice is harmless, but the console offers it only once.
    markSent: isMarkable
      ? null
      : (explainNotMarked(status, responsibility) ?? new ApiError('intro_closed', 'This intro was already sent.')),
    takeDown: explainNoPage(status, takenDownAt),
    correctPhone: explainNotCorrected(status, takenDownAt),
  };
}

const noSuchMember = () => invalid('member', 'must be an active member of this organization');

async function explainNotReassigned(tx: Tx, tenant: Tenant, wanted: Reassignment, now: Date): Promise<ApiError> {
  const row = await findReassignmentState(tx, tenant, wanted.introIds[0] ?? '', wanted.memberId);
  if (row === undefined) return noSuchIntro();
  if (wanted.from !== undefined && row.member_id !== wanted.from) return noLongerTheirs();
  if (row.new_member_id === null) return noSuchMember();
  if (row.member_id === wanted.memberId) return invalid('member', 'is already the member who records this intro');
  const isExpired = row.expires_at !== null && row.expires_at <= now;
  return explainNotRequested(isExpired && row.status === 'requested' ? 'expired' : row.status);
}

interface ReassignDeps {
  readonly links: Links;
  readonly introEvents: IntroEvents;
  /** Discards what the previous member is uploading. Passed in, because recordings and delivery import this module. */
  discardUploads(tx: Tx, tenant: Tenant, introIds: readonly string[], now: Date): Promise<void>;
  /** Drops the messages to the previous member and schedules those to the new member. */
  notifyNewMember(tx: Tx, tenant: Tenant, intros: readonly ReassignedIntro[], now: Date): Promise<void>;
}

/** Runs in the caller's transaction. Returns null, or why none of the intros was reassigned. */
export type Reassign = (tx: Tx, tenant: Tenant, wanted: Reassignment, now: Date) => Promise<ApiError | null>;

/** The words of a touchpoint name the member. If they cannot be rendered any more, an intro keeps those that it has. */
async function renderForMember(tx: Tx, tenant: Tenant, introIds: readonly string[]): Promise<void> {
  const contents = (await listTemplates(tx, tenant, introIds)).flatMap((found) => {
    const { id, language, recipient_first_name, recipient_last_name, first_name, last_name, organization } = found;
    const {
      appointment = null,
      trade = null,
      lane = null,
    } = (found.context ?? {}) as Partial<NonNullable<Intro['context']>>;
    const values = {
      recipient: { first_name: recipient_first_name, last_name: recipient_last_name },
      member: { first_name, last_name },
      organization: { name: organization },
      appointment: readAppointment(appointment ?? undefined),
      ...{ trade, lane },
    };
    const content = renderContent(found, values, language);
    if (isFailure(content)) return [];
    const { title, ...script } = content;
    const context = { title, appointment, trade, lane };
    return [{ id, ...script, touchpoint_version: found.version, context }];
  });
  await saveContents(tx, tenant, contents);
}

/** Gives unrecorded intros to another member. The links of the previous member stop working. */
export function createReassign({ links, introEvents, discardUploads, notifyNewMember }: ReassignDeps): Reassign {
  return async (tx, tenant, wanted, now) => {
    const { introIds, memberId, by } = wanted;
    if (!introIds.every((id) => ID_PATTERN.test(id))) return noSuchIntro();
    if (!ID_PATTERN.test(memberId)) return noSuchMember();
    const reassigned = await reassignIntros(tx, tenant, wanted, now);
    if (reassigned.length === 0) return explainNotReassigned(tx, tenant, wanted, now);
    const ids = reassigned.map(({ id }) => id);
    await renderForMember(tx, tenant, ids);
    await discardUploads(tx, tenant, ids, now);
    await notifyNewMember(tx, tenant, reassigned, now);
    const renewed = reassigned.map(({ id: introId, generation }) => ({ introId, generation }));
    await links.renewRecords(tx, tenant, renewed);
    const events = ids.map((introId) => ({ tenant, introId, type: 'intro.reassigned' }) as const);
    await introEvents.publish(tx, events, now);
    const change = { action: 'intro.reassigned', related: memberId, by } as const;
    await recordChanges(
      tx,
      tenant,
      ids.map((object) => ({ ...change, object })),
    );
    return null;
  };
}

/** Runs in the caller's transaction. Returns null, or why the intro was not declined. Declining twice changes nothing. */
export type Decline = (tx: Tx, tenant: Tenant, wanted: NewDecline, now: Date) => Promise<ApiError | null>;

interface DeclineDeps {
  readonly introEvents: IntroEvents;
  /** Drops what is scheduled for the member. Passed in, because delivery imports this module. */
  dropMemberMessages(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<void>;
  /** Emails owners and managers. */
  notifyTeam(tx: Tx, tenant: Tenant, declined: NewDecline): Promise<void>;
}

const RETRY_AFTER_S = 600;
const TOO_MANY_DECLINES =
  'You declined many intros in the last hour. Try again later, or ask an owner or a manager to reassign them.';
const TOO_MANY_HAND_OVERS = 'This intro was handed over many times today. Ask an owner or a manager to reassign it.';

const tooMany = (message: string): ApiError => new ApiError('rate_limited', message, { retryAfterS: RETRY_AFTER_S });

/** The member does not record the intro: it stays open, and owners and managers decide what happens to it. */
export function createDecline({ introEvents, dropMemberMessages, notifyTeam }: DeclineDeps): Decline {
  return async (tx, tenant, wanted, now) => {
    const { introId, memberId, reason, message, byText = false } = wanted;
    if (!ID_PATTERN.test(introId)) return noSuchIntro();
    // A text such as "NO" has no words of its own.
    if (reason === 'other' && !byText && (message === null || message.trim() === '')) {
      return invalid('message', 'is required for the reason other');
    }
    const { uploadingSince, hourAgo } = declineTimes(now);
    const limits = { uploadingSince, perMember: DECLINES_PER_HOUR, countedSince: hourAgo };
    if (!(await insertDecline(tx, tenant, wanted, limits, now))) {
      const state = await findDeclineState(tx, tenant, introId, uploadingSince);
      if (state?.member_id === memberId && state.status === 'requested' && state.is_declined) return null;
      return explainNotDeclined(state, memberId, now) ?? tooMany(TOO_MANY_DECLINES);
    }
    await dropMemberMessages(tx, tenant, introId, now);
    await notifyTeam(tx, tenant, wanted);
    await introEvents.publish(tx, [{ tenant, introId, type: 'intro.declined' }], now);
    return null;
  };
}

interface HandOver {
  readonly introId: string;
  /** The member who should record the intro, and hands it over. */
  readonly from: string;
  readonly to: string;
  /** The member did it with a text. */
  readonly byText?: boolean;
}

/** Reassigns the intro of the member `from`. Runs in the caller's transaction. Returns null, or why it was not reassigned. */
export async function handOver(
  { reassign }: { reassign: Reassign },
  tx: Tx,
  tenant: Tenant,
  { introId, from, to, byText = false }: HandOver,
  now: Date,
): Promise<ApiError | null> {
  if (!ID_PATTERN.test(introId)) return noSuchIntro();
  const { uploadingSince, dayAgo } = declineTimes(now);
  const state = await findDeclineState(tx, tenant, introId, uploadingSince);
  const refusal = state?.status === 'requested' && !state.is_uploading ? null : explainNotDeclined(state, from, now);
  if (refusal !== null) return refusal;
  if ((await countHandOvers(tx, tenant, introId, dayAgo)) >= HAND_OVERS_PER_DAY) return tooMany(TOO_MANY_HAND_OVERS);
  return reassign(tx, tenant, { introIds: [introId], memberId: to, by: from, from, byText }, now);
}

interface Departure {
  readonly tenant: Tenant;
  readonly memberId: string;
  /** The id of the member or of the API key that decided it. */
  readonly by: string | null;
  readonly openIntros: NonNullable<DeactivateMember['open_intros']>;
}

/** A member may have thousands of open intros. */
const BATCH_SIZE = 500;

/** Runs in the transaction that deactivates the member. Recorded intros show their face, and are not reassigned. */
export async function settleOpenIntros(
  { reassign, introEvents }: { reassign: Reassign; introEvents: IntroEvents },
  tx: Tx,
  { tenant, memberId, by, openIntros }: Departure,
  now: Date,
): Promise<void> {
  if (openIntros === 'keep') return;
  const isCancelled = openIntros === 'cancel';
  const open = await lockOpenByMember(tx, tenant, memberId);
  const ids = open.filter(({ status }) => isCancelled || status === 'requested').map(({ id }) => id);
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    const introIds = ids.slice(at, at + BATCH_SIZE);
    if (!isCancelled) {
      const refusal = await reassign(tx, tenant, { introIds, memberId: openIntros.reassign_to, by }, now);
      // An intro that was recorded at the last moment cannot be moved.
      if (refusal?.field !== undefined) throw refusal;
      continue;
    }
    const cancelled = await cancelOpen(tx, tenant, by, now, introIds);
    const events = cancelled.map((introId): IntroEvent => ({ tenant, introId, type: 'intro.cancelled' }));
    await introEvents.publish(tx, events, now);
    const change = { action: 'intro.cancelled', by } as const;
    await recordChanges(
      tx,
      tenant,
      cancelled.map((object) => ({ ...change, object })),
    );
  }
}

/** How often a worker expires due intros. */
export const EXPIRY_INTERVAL_MS = 1_000;
const EXPIRY_BATCH = 500;

interface ExpiryDeps extends Pick<Services, 'db'> {
  readonly introEvents: IntroEvents;
}

async function expireBatch({ introEvents }: ExpiryDeps, tx: Tx, scope: ExpiryScope, now: Date) {
  const expired = await moveToExpired(tx, scope, now, EXPIRY_BATCH);
  const events = expired.map((row): IntroEvent => ({ tenant: tenantOf(row), introId: row.id, type: 'intro.expired' }));
  await introEvents.publish(tx, events, now);
  return expired.length;
}

/** Safe to run on any number of workers at once: the statement moves each intro exactly once. */
export async function expireDue(deps: ExpiryDeps & { readonly clock: Clock }): Promise<void> {
  const { db, clock } = deps;
  let moved: number;
  do {
    moved = await db.kysely.transaction().execute((tx) => expireBatch(deps, tx, 'without test clock', clock()));
  } while (moved === EXPIRY_BATCH);
}

/** The same for one organization, on its test clock. Returns how many intros expired. */
export const expireOnTestClock = (deps: ExpiryDeps, tenant: Tenant, now: TestTime): Promise<number> =>
  deps.db.kysely
    .transaction()
    .execute(async (tx) => ((await lockForStep(tx, tenant)) ? expireBatch(deps, tx, tenant, now) : 0));

/** Expires one intro before its time. False if it is sent or closed. */
export async function expireNow(
  { introEvents }: { introEvents: IntroEvents },
  tx: Tx,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  now: Date,
): Promise<boolean> {
  if (!(await moveToExpiredNow(tx, tenant, introId, now))) return false;
  await introEvents.publish(tx, [{ tenant, introId, type: 'intro.expired' }], now);
  return true;
}

/** Enough to change an answer and to ask a few questions. More would flood the member with messages. */
const MAX_REPLIES_PER_DAY = 10;

export interface NewReply {
  readonly type: IntroReplyType;
  /** Only for a question or a message. */
  readonly message: string | null;
}

/** `repeated`: another tap on the same button of the page, so nothing changed. A number: the reply with this number was stored. */
type ReplyOutcome = number | 'repeated' | 'too_many';

/** In the caller's transaction, which has locked the intro: simultaneous taps run one after the other. */
export async function storeReply(
  { introEvents }: { introEvents: IntroEvents },
  tx: Tx,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  { type, message }: NewReply,
  now: Date,
): Promise<ReplyOutcome> {
  const earlier = await readLastReplies(tx, tenant, introId, MAX_REPLIES_PER_DAY);
  const [last] = earlier;
  const by_text = type === 'message';
  // A second "Yes" by text answers something else: its report has another id.
  if (!by_text && last?.type === type && last.message === message) return 'repeated';
  const isRecent = (at: Date) => now.getTime() - at.getTime() < DAY_MS;
  if (earlier.filter(({ created_at: at }) => isRecent(at)).length >= MAX_REPLIES_PER_DAY) return 'too_many';
  const number = (last?.number ?? 0) + 1;
  await insertReply(tx, tenant, { intro_id: introId, number, type, message, by_text, created_at: now });
  await introEvents.publish(tx, [{ tenant, introId, type: 'intro.replied' }], now);
  return number;
}

interface NewAnswer {
  readonly introId: string;
  readonly memberId: string;
  readonly message: string;
}

/** In the caller's transaction, which has locked the intro. Returns the number of the answer. */
export async function storeAnswer(
  tx: Tx,
  tenant: Tenant,
  { introId, memberId, message }: NewAnswer,
  now: Date,
): Promise<number> {
  const last = await findLastAnswer(tx, tenant, introId);
  const number = (last?.number ?? 0) + 1;
  await insertAnswer(tx, tenant, { intro_id: introId, number, member_id: memberId, message, created_at: now });
  await settleReplies(tx, tenant, { introId, by: memberId }, now);
  return number;
}
