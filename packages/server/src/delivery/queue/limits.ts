import { type Db, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import { changeBrand, findOrganization } from '../../organizations/index.ts';
import { isTestTime } from '../../platform/clock.ts';
import { localDate } from '../../platform/instants.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import type { MessageContext } from '../store/context.ts';
import {
  type CountKey,
  changeSettings,
  countFailure,
  type DayOfTenant,
  type DeliverySettings,
  endPause,
  type Limits,
  listCounts,
  lockCounts,
  pauseTexts,
  readLimits,
  saveCounts,
  type TextCount,
  wakeTexts,
} from '../store/limits.ts';
import {
  allowedCountries,
  type DailyLimits,
  dailyLimits,
  defaultCountries,
  findAnomaly,
  type LimitedText,
  PAUSE_CHECK_MS,
  type PauseReason,
  startOfNextDay,
} from './rules.ts';

/** The organization, and the members below it with the most texts. */
const SUBJECTS_READ = 20;
const MEMBERS_SHOWN = 3;

const limitsOf = async (db: Db, tenant: Tenant, day: string): Promise<Limits> =>
  (await readLimits(db, [{ tenant, day }]))[0] as Limits;

/** The limits of an organization, and how much of them is used today. */
export async function readTextLimits(db: Db, tenant: Tenant, now: Date) {
  const organization = await findOrganization(db, tenant.organizationId);
  if (organization === null) throw new Error('the organization no longer exists');
  const { timezone } = organization;
  const today = localDate(now, timezone);
  const [limits, counts] = await Promise.all([
    limitsOf(db, tenant, today),
    listCounts(db, tenant, today, SUBJECTS_READ),
  ]);
  const { countries, texts_paused_at: at, texts_paused_for: reason } = limits;
  return {
    timezone,
    countries: allowedCountries({ countries, timezone }),
    defaultCountries: defaultCountries({ countries, timezone }),
    /** Whether an owner or the operator chose the countries. */
    hasOwnCountries: countries !== null,
    textsTestRecordings: limits.texts_test_recordings === true,
    forwardsReplies: limits.forwards_replies === true,
    limits: dailyLimits(limits, limits.busiest_day),
    textsToday: counts.find(({ subject }) => subject === '')?.sent ?? 0,
    /** The members with the most texts today. */
    busiestMembers: counts
      .filter(({ subject, sent }) => subject.startsWith('mem_') && sent > 0)
      .slice(0, MEMBERS_SHOWN)
      .map(({ subject: id, sent: texts }) => ({ id, texts })),
    dayEndsAt: startOfNextDay(now, timezone),
    paused: at === null || reason === null ? null : { at, reason },
  };
}

/** Changes the hours, the account or the limits for texts. Writes an entry of the audit log, unless the change is empty. */
export async function saveSettings(
  tx: Tx,
  tenant: Tenant,
  change: Partial<DeliverySettings>,
  now: Date,
): Promise<void> {
  // The console saves the hours with the brand. With a new version, a form that was open does not save the old ones.
  if (change.texts_from !== undefined) await changeBrand(tx, tenant.organizationId, {});
  await changeSettings(tx, tenant, change, now);
  if (change.twilio_account !== undefined) await wakeTexts(tx, tenant, 'carrier_account', now);
  const fields = Object.keys(change);
  if (fields.length === 0) return;
  await recordChange(tx, tenant, { action: 'organization.changed', object: tenant.organizationId, fields });
}

/** Resumes texts that were paused because of unusual activity. Otherwise, nothing changes. */
export async function resumeTexts(tx: Tx, tenant: Tenant, now: Date): Promise<void> {
  if (!(await endPause(tx, tenant, now))) return;
  await wakeTexts(tx, tenant, 'texts_paused', now);
  await recordChange(tx, tenant, { action: 'organization.texts_resumed', object: tenant.organizationId });
}

async function pause(ownerEmails: OwnerEmails, tx: Tx, tenant: Tenant, reason: PauseReason, now: Date): Promise<void> {
  if (await pauseTexts(tx, tenant, reason, now)) await ownerEmails.notifyTextsPaused(tx, tenant, reason);
}

/** Counts a text to a wrong number. Pauses the organization's texts once most of them fail. */
export async function countWrongNumber(ownerEmails: OwnerEmails, tx: Tx, tenant: Tenant, now: Date): Promise<void> {
  const count = await countFailure(tx, tenant, now);
  if (count === null) return;
  const reason = findAnomaly(await limitsOf(tx, tenant, count.day), count, now);
  if (reason !== null) await pause(ownerEmails, tx, tenant, reason, now);
}

/** A text that a provider is about to get. */
interface ProviderText {
  readonly context: MessageContext;
  readonly address: string;
}

/** The texts of one organization on one day, within the transaction that holds the locks. */
interface Day {
  readonly tenant: Tenant;
  readonly timezone: string;
  readonly counts: ReadonlyMap<string, TextCount>;
  readonly limits: Limits;
  /** Includes a pause that this transaction has yet to store. */
  pausedFor: PauseReason | null;
  /** For the owners. Without a member: the limit of the organization. */
  readonly reached: { readonly member: string | null; readonly limit: number }[];
}

const ORGANIZATION = '';

/** Messages to members count for the organization and the member; those to recipients for their number, too. */
const subjectsOf = ({
  context: { message, member },
  address,
}: ProviderText): readonly (readonly [subject: string, limit: keyof DailyLimits])[] => [
  [ORGANIZATION, 'organization'],
  [member.id, 'member'],
  ...(message.audience === 'member' ? [] : ([[address, 'recipient']] as const)),
];

/** Whether a limit leaves no room for one more text. */
function isLimited(day: Day, text: ProviderText, now: Date): boolean {
  const limits = dailyLimits(day.limits, day.limits.busiest_day);
  for (const [subject, name] of subjectsOf(text)) {
    const count = day.counts.get(subject);
    if (count === undefined || count.sent < limits[name]) continue;
    // One number is no reason to write to the owners; the intro shows why its text waits.
    if (!count.notified && name !== 'recipient' && !isTestTime(now)) {
      const { first_name: firstName, last_name: lastName } = text.context.member;
      count.notified = true;
      day.reached.push({ member: name === 'member' ? `${firstName} ${lastName}` : null, limit: count.sent });
    }
    return true;
  }
  return false;
}

/** Counts the text, or returns why and until when it waits. */
function admit(day: Day, text: ProviderText, now: Date): LimitedText | null {
  // A retry was counted with its first attempt.
  const isRetry = text.context.message.attempts > 0;
  if (day.pausedFor === null && !isRetry) {
    if (isLimited(day, text, now)) {
      return { kind: 'wait', until: startOfNextDay(now, day.timezone), heldFor: 'daily_limit' };
    }
    const { sent = 0, failed = 0 } = day.counts.get(ORGANIZATION) ?? {};
    // A pause would outlast the test clock.
    day.pausedFor = isTestTime(now) ? null : findAnomaly(day.limits, { sent: sent + 1, failed }, now);
  }
  if (day.pausedFor !== null) {
    return { kind: 'wait', until: new Date(now.getTime() + PAUSE_CHECK_MS), heldFor: 'texts_paused' };
  }
  if (isRetry) return null;
  for (const [subject] of subjectsOf(text)) {
    const count = day.counts.get(subject);
    if (count !== undefined) count.sent += 1;
  }
  return null;
}

async function openDays(tx: Tx, texts: readonly ProviderText[], now: Date): Promise<ReadonlyMap<string, Day>> {
  const keys = new Map<string, CountKey>();
  const open = new Map<string, DayOfTenant & { readonly timezone: string }>();
  for (const text of texts) {
    const { message, organization } = text.context;
    const { organization_id, environment } = message;
    const { timezone } = organization;
    const day = localDate(now, timezone);
    open.set(organization_id, { tenant: tenantOf(message), timezone, day });
    for (const [subject] of subjectsOf(text)) {
      keys.set(`${organization_id} ${subject}`, { organization_id, environment, subject, day });
    }
  }
  const counts = Map.groupBy(await lockCounts(tx, [...keys.values()]), ({ organization_id }) => organization_id);
  // Read after locking: another node may have paused the texts until then.
  const limits = await readLimits(tx, [...open.values()]);
  return new Map(
    [...open].map(([id, { tenant, timezone }], i) => {
      const own = (counts.get(id) ?? []).map((count) => [count.subject, { ...count }] as const);
      const its = limits[i] as Limits;
      return [
        id,
        { tenant, timezone, limits: its, pausedFor: its.texts_paused_for, reached: [], counts: new Map(own) },
      ];
    }),
  );
}

/**
 * Counts the texts in the transaction that claims them, so that several nodes and crashes cannot exceed a limit: a text is
 * handed to a carrier only after its count is committed. Returns those that have to wait.
 */
export async function holdLimited<Text extends ProviderText>(
  ownerEmails: OwnerEmails,
  tx: Tx,
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
  for (const { tenant, limits, pausedFor, reached } of days.values()) {
    for (const limit of reached) await ownerEmails.notifyDailyLimit(tx, tenant, limit);
    if (pausedFor !== null && limits.texts_paused_for === null) await pause(ownerEmails, tx, tenant, pausedFor, now);
  }
  return held;
}
