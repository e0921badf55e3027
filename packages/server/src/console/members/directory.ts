import {
  type CappedCount,
  type ConsoleQuery,
  iso,
  type MemberIntro,
  type TeamMember,
  type TeamMemberDetail,
  type TeamPage,
} from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import {
  countOpenByMember,
  countPagesByMember,
  listOpenByMember,
  listRecentByMember,
  type MemberIntroRow,
} from '../../intros/index.ts';
import {
  bouncedSince,
  countDirectory,
  countSharedEmails,
  type DirectoryFilter,
  type DirectoryRow,
  findInDirectory,
  memberNotFound,
  searchDirectory,
} from '../../members/index.ts';
import { closedBefore } from '../../pages/index.ts';
import { invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { readDays } from '../../privacy/retention/index.ts';
import { fileUrl } from '../session.ts';

const presentTeamMember = (row: DirectoryRow): TeamMember => ({
  id: row.id,
  first_name: row.first_name,
  last_name: row.last_name,
  email: row.email,
  phone: row.phone,
  title: row.title,
  title_es: row.title_es,
  lanes: row.lanes,
  role: row.role,
  active: row.active,
  external_id: row.external_id,
  photo_url: fileUrl(row.photo),
  shares_email: row.shares_email,
  email_bounced_at: iso(bouncedSince(row)),
});

const presentIntroOfMember = (row: MemberIntroRow): MemberIntro => ({
  id: row.id,
  status: row.status,
  recipient_name: [row.recipient_first_name, row.recipient_last_name].filter((part) => part !== null).join(' '),
  touchpoint: row.touchpoint_name,
  created_at: row.created_at.toISOString(),
  expires_at: iso(row.expires_at),
  sent_at: iso(row.sent_at),
  opened_at: iso(row.opened_at),
  watched_at: iso(row.watched_at),
});

interface Surroundings {
  readonly livePages: CappedCount;
  readonly openCount: CappedCount;
  readonly open: readonly MemberIntroRow[];
  readonly recent: readonly MemberIntroRow[];
}

const presentDetail = (
  row: DirectoryRow & { readonly is_last_owner: boolean },
  { livePages, openCount, open, recent }: Surroundings,
): TeamMemberDetail => ({
  ...presentTeamMember(row),
  notify_by: row.notify_by,
  words_per_minute: row.words_per_minute,
  email_bounce_reason: bouncedSince(row) === null ? null : row.email_bounce_reason,
  created_at: row.created_at.toISOString(),
  is_last_owner: row.is_last_owner,
  pages_replaced_at: iso(row.pages_replaced_at),
  live_pages: livePages,
  open_intros: open.map(presentIntroOfMember),
  open_count: openCount,
  recent_intros: recent.map(presentIntroOfMember),
});

const PAGE_SIZE = 50;
/** The most open intros that are listed for individual choices. */
const MAX_OPEN = 200;
const RECENT = 10;
/** Counting stops here; the page shows "1,000 or more". */
const MAX_COUNT = 1000;

const isKnown = async (db: Db, tenant: Tenant, id: string): Promise<boolean> =>
  ID_PATTERN.test(id) && (await findInDirectory(db, tenant, id)) !== null;

export async function readTeam(db: Db, tenant: Tenant, query: ConsoleQuery<'GET /members'>): Promise<TeamPage> {
  const { q, active, lane, role, shares_email, after, limit = PAGE_SIZE } = query;
  const filter: DirectoryFilter = { q, active, lane, role, sharesEmail: shares_email !== undefined };
  if (after !== undefined && !(await isKnown(db, tenant, after))) {
    throw invalid('after', 'must be the id of the last member on the previous page');
  }
  const [rows, counts] = await Promise.all([
    searchDirectory(db, tenant, filter, { limit: limit + 1, after }),
    after === undefined ? readCounts(db, tenant, filter) : null,
  ]);
  const members = rows.slice(0, limit);
  const next = rows.length > limit ? (members.at(-1)?.id ?? null) : null;
  return { members: members.map(presentTeamMember), next, counts };
}

async function readCounts(db: Db, tenant: Tenant, filter: DirectoryFilter) {
  const [found, shared_emails] = await Promise.all([countDirectory(db, tenant, filter), countSharedEmails(db, tenant)]);
  return { found, shared_emails };
}

export async function readDetail(db: Db, tenant: Tenant, id: string, now: Date): Promise<TeamMemberDetail> {
  const row = ID_PATTERN.test(id) ? await findInDirectory(db, tenant, id) : null;
  if (row === null) throw memberNotFound();
  const limit = MAX_COUNT;
  const videoDays = await readDays(db, tenant, 'videos', now);
  const [open, recent, openCount, livePages] = await Promise.all([
    listOpenByMember(db, tenant, id, MAX_OPEN),
    listRecentByMember(db, tenant, id, RECENT),
    countOpenByMember(db, tenant, id, limit),
    countPagesByMember(db, tenant, id, { sentAfter: closedBefore(now, videoDays), limit }),
  ]);
  const capped = (count: number) => ({ count, at_most: limit });
  return presentDetail(row, { open, recent, openCount: capped(openCount), livePages: capped(livePages) });
}
