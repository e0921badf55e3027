/** Folder: allowed countries, daily limits, and pauses on unusual days. */

import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../../db/tenancy.ts';
import { findOrganization } from '../../organizations/index.ts';
import { isTestTime } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db.ts';
import { localDate } from '../../platform/instants.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import type { LimitedText } from '../queue/rules.ts';
import type { MessageContext } from '../store/context.ts';
import { tenantOf } from '../store/queue.ts';
import {
  type Limits,
  listCounts,
  lockCounts,
  pauseTexts,
  readLimits,
  readTextSettings,
  saveCounts,
  type TextCount,
} from '../store/settings.ts';
import {
  allowedCountries,
  type DailyLimits,
  dailyLimits,
  defaultCountries,
  findAnomaly,
  isResumed,
  PAUSE_CHECK_MS,
  type PauseReason,
  startOfNextDay,
} from './rules.ts';

/** The limits of an organization, and how much of them is used today. */
export interface TextLimits {
  readonly timezone: string;
  readonly countries: readonly string[];
  readonly defaultCountries: readonly string[];
  /** Whether an owner or the operator chose the countries. */
  readonly hasOwnCountries: boolean;
  readonly textsTestRecordings: boolean;
  readonly forwardsReplies: boolean;
  readonly limits: DailyLimits;
  readonly textsToday: number;
  /** The members with the most texts today. */
  readonly busiestMembers: readonly { readonly id: string; readonly texts: number }[];
  readonly dayEndsAt: Date;
  readonly paused: { readonly at: Date; readonly reason: PauseReason } | null;
}

/** The organization, and the members below it with the most texts. */
const SUBJECTS_READ = 20;
const MEMBERS_SHOWN = 3;

export async function readTextLimits(db: Queryable<Tables>, tenant: Tenant, now: Date): Promise<TextLimits> {
  const organization = await findOrganization(db, tenant.organizationId);
  if (organization === null) throw new Error('the organization no longer exists');
  const { timezone } = organization;
  const today = localDate(now, timezone);
  const [settings, limits, counts] = await Promise.all([
    readTextSettings(db, tenant),
    readLimits(db, tenant, today),
    listCounts(db, tenant, today, SUBJECTS_READ),
  ]);
  const { texts_paused_at: at, texts_paused_for: reason } = limits;
  return {
    timezone,
    countries: allowedCountries({ ...settings, timezone }),
    defaultCountries: defaultCountries({ ...settings, timezone }),
    hasOwnCountries: settings.countries !== null,
    textsTestRecordings: settings.texts_test_recordings,
    forwardsReplies: settings.forwards_replies,
    limits: dailyLimits(limits, limits.busiest_day),
    textsToday: counts.find(({ subject }) => subject === '')?.sent ?? 0,
    busiestMembers: counts
      .filter(({ subject, sent }) => subject.startsWith('mem_') && sent > 0)
      .slice(0, MEMBERS_SHOWN)
      .map(({ subject: id, sent: texts }) => ({ id, texts })),
    dayEndsAt: startOfNextDay(now, timezone),
    paused: at === null || reason === null ? null : { at, reason },
  };
}

/** A text that a provider is about to get. */
export interface ProviderText {
  readonly context: MessageContext;
  readonly address: string;
}

type Count = { -readonly [Name in keyof TextCount]: TextCount[Name] };

/** The texts of one organization on one day, within the transaction that holds the locks. */
interface Day {
  readonly tenant: Tenant;
  readonly timezone: string;
  readonly counts: ReadonlyMap<string, Count>;
  readonly limits: DailyLimits;
  readonly busiestDay: number;
  readonly isLimitChosen: boolean;
  readonly isResumed: boolean;
  pausedFor: PauseReason | null;
  /** The pause of this transaction, which is not stored yet. */
  pauses: boolean;
  readonly reached: { readonly count: Count; readonly member: string | null; readonly limit: number }[];
}

const ORGANIZATION = '';

/** Messages to members count for the organization and the member; those to recipients for their number, too. */
const subjectsOf = ({ context: { message, member }, address }: ProviderText): readonly string[] =>
  message.audience === 'member' ? [ORGANIZATION, member.id] : [ORGANIZATION, member.id, address];

const limitOf = ({ limits }: Day, { context }: ProviderText, subject: string): number => {
  if (subject === ORGANIZATION) return limits.organization;
  return subject === context.member.id ? limits.member : limits.recipient;
};

/** The counts whose limit leaves no room for one more text. */
function findReached(day: Day, text: ProviderText): Count | undefined {
  return subjectsOf(text)
    .map((subject) => day.counts.get(subject))
    .find((count) => count !== undefined && count.sent >= limitOf(day, text, count.subject));
}

function noteReached(day: Day, { context: { member } }: ProviderText, count: Count, now: Date): void {
  if (isTestTime(now)) return;
  // One number is no reason to write to the owners; the intro shows why its text waits.
  const isMember = count.subject === member.id;
  if (count.notified || (!isMember && count.subject !== ORGANIZATION)) return;
  count.notified = true;
  const name = isMember ? `${member.first_name} ${member.last_name}` : null;
  day.reached.push({ count, member: name, limit: count.sent });
}

/** Counts the text, or returns why and until when it waits. */
function admit(day: Day, text: ProviderText, now: Date): LimitedText | null {
  const paused: LimitedText = {
    kind: 'wait',
    until: new Date(now.getTime() + PAUSE_CHECK_MS),
    heldFor: 'texts_paused',
  };
  if (day.pausedFor !== null) return paused;
  // A retry was counted with its first attempt.
  if (text.context.message.attempts > 0) return null;
  const reached = findReached(day, text);
  if (reached !== undefined) {
    noteReached(day, text, reached, now);
    return { kind: 'wait', until: startOfNextDay(now, day.timezone), heldFor: 'daily_limit' };
  }
  const { sent = 0, failed = 0 } = day.counts.get(ORGANIZATION) ?? {};
  // A pause would outlast the test clock.
  const anomaly = day.isResumed || isTestTime(now) ? null : findAnomaly({ ...day, sent: sent + 1, failed });
  if (anomaly !== null) {
    day.pausedFor = anomaly;
    day.pauses = true;
    return paused;
  }
  for (const subject of subjectsOf(text)) {
    const count = day.counts.get(subject);
    if (count !== undefined) count.sent += 1;
  }
  return null;
}

const toDay = (
  { message, organization }: MessageContext,
  counts: readonly TextCount[],
  limits: Limits,
  now: Date,
): Day => ({
  tenant: tenantOf(message),
  timezone: organization.timezone,
  counts: new Map(counts.map((count) => [count.subject, { ...count }])),
  limits: dailyLimits(limits, limits.busiest_day),
  busiestDay: limits.busiest_day,
  isLimitChosen: limits.daily_texts !== null,
  isResumed: isResumed(limits.texts_resumed_at, now),
  pausedFor: limits.texts_paused_for,
  pauses: false,
  reached: [],
});

async function openDays(
  tx: Transaction<Tables>,
  texts: readonly ProviderText[],
  now: Date,
): Promise<ReadonlyMap<string, Day>> {
  const keys = new Map<string, Omit<TextCount, 'sent' | 'failed' | 'notified'>>();
  const contexts = new Map<string, MessageContext>();
  for (const text of texts) {
    const { message, organization } = text.context;
    const { organization_id, environment } = message;
    contexts.set(organization_id, text.context);
    const day = localDate(now, organization.timezone);
    for (const subject of subjectsOf(text)) {
      keys.set(`${organization_id} ${subject}`, { organization_id, environment, subject, day });
    }
  }
  const counts = await lockCounts(tx, [...keys.values()]);
  const days = new Map<string, Day>();
  for (const [organization, context] of contexts) {
    const today = localDate(now, context.organization.timezone);
    // Read after locking: another node may have paused the texts until then.
    const limits = await readLimits(tx, tenantOf(context.message), today);
    const own = counts.filter(({ organization_id }) => organization_id === organization);
    days.set(organization, toDay(context, own, limits, now));
  }
  return days;
}

async function notifyOwners(ownerEmails: OwnerEmails, tx: Transaction<Tables>, day: Day, now: Date): Promise<void> {
  for (const { member, limit } of day.reached) await ownerEmails.notifyDailyLimit(tx, day.tenant, { member, limit });
  if (!day.pauses || day.pausedFor === null) return;
  if (await pauseTexts(tx, day.tenant, day.pausedFor, now)) {
    await ownerEmails.notifyTextsPaused(tx, day.tenant, day.pausedFor);
  }
}

/**
 * Counts the texts in the transaction that claims them, so that several nodes and crashes cannot exceed a limit: a text is
 * handed to a carrier only after its count is committed. Returns those that have to wait.
 */
export async function holdLimited<Text extends ProviderText>(
  ownerEmails: OwnerEmails,
  tx: Transaction<Tables>,
  texts: readonly Text[],
  now: Date,
): Promise<ReadonlyMap<Text, LimitedText>> {
  const held = new Map<Text, LimitedText>();
  if (texts.length === 0) return held;
  const days = await openDays(tx, texts, now);
  for (const text of texts) {
    const day = days.get(text.context.message.organization_id);
    const hold = day === undefined ? null : admit(day, text, now);
    if (hold !== null) held.set(text, hold);
  }
  await saveCounts(
    tx,
    [...days.values()].flatMap(({ counts }) => [...counts.values()]),
  );
  for (const day of days.values()) await notifyOwners(ownerEmails, tx, day, now);
  return held;
}
