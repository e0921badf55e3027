import { iso, type Likeness, type LikenessConsent } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { ConsentRow, RemovalRow } from './store.ts';
import type { ShownConsent } from './texts.ts';

function whoWithdrew({ member_id, withdrawn_at, withdrawn_by }: ConsentRow): LikenessConsent['withdrawn_by'] {
  if (withdrawn_at === null) return null;
  if (withdrawn_by === null) return 'operator';
  return withdrawn_by === member_id ? 'member' : 'owner';
}

const presentConsent = (row: ConsentRow): LikenessConsent => ({
  id: row.id,
  version: row.version,
  language: row.language,
  text: row.text,
  given_at: iso(row.given_at),
  given_by: row.given_by,
  withdrawn_at: iso(row.withdrawn_at),
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
    removal: removal && {
      finished_at: iso(removal.finished_at),
      closed: removal.closed,
      reassigned: removal.reassigned,
      taken_down: removal.taken_down,
      videos: removal.videos,
    },
    text: { version: text.version, short: text.short, paragraphs: text.paragraphs },
    consents: consents.map(presentConsent),
  };
}
