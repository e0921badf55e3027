/** Folder: allowed countries, daily limits, and pauses on unusual days. */

import { findOrganization } from '../../organizations/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { localDate } from '../../platform/instants.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { listCounts, readLimits } from '../store/limits.ts';
import { readTextSettings } from '../store/settings.ts';
import {
  allowedCountries,
  type DailyLimits,
  dailyLimits,
  defaultCountries,
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
