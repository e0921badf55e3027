import type { CappedCount, MemberIntro, TeamMember, TeamMemberDetail } from '@foreword/contract';
import type { MemberIntroRow } from '../../intros/index.ts';
import type { DirectoryRow } from '../../members/index.ts';
import { fileUrl } from '../session.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const presentTeamMember = (row: DirectoryRow): TeamMember => ({
  id: row.id,
  first_name: row.first_name,
  last_name: row.last_name,
  email: row.email,
  phone: row.phone,
  title: row.title,
  lanes: row.lanes,
  role: row.role,
  active: row.active,
  external_id: row.external_id,
  photo_url: fileUrl(row.photo),
  shares_email: row.shares_email,
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

export const presentDetail = (
  row: DirectoryRow & { readonly is_last_owner: boolean },
  { livePages, openCount, open, recent }: Surroundings,
): TeamMemberDetail => ({
  ...presentTeamMember(row),
  notify_by: row.notify_by,
  words_per_minute: row.words_per_minute,
  created_at: row.created_at.toISOString(),
  is_last_owner: row.is_last_owner,
  pages_replaced_at: iso(row.pages_replaced_at),
  live_pages: livePages,
  open_intros: open.map(presentIntroOfMember),
  open_count: openCount,
  recent_intros: recent.map(presentIntroOfMember),
});
