import type { RecorderNext, RecorderState } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import type { Tenant } from '../db/tenancy.ts';
import { listToRecord, type ToRecordRow } from '../intros/index.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { OpenedLink } from './open-link.ts';
import { isOpen, mayLeadOn } from './rules.ts';
import { findForMember } from './store/member-view.ts';

/** More than a member records in a day. */
const MAX_LEFT = 50;
/** More takes than a page can have in flight. */
const MAX_SKIPPED = 20;
const HOME = '/console/home';
const NOWHERE: RecorderNext = { next: null, left: 0, has_more: false, home: null };

/** The ids of intros whose takes the page is still sending: `int_1,int_2`. */
export function readSkipped(text: unknown): string[] {
  return String(text ?? '')
    .split(',')
    .filter((id) => ID_PATTERN.test(id))
    .slice(0, MAX_SKIPPED);
}

interface NextDeps extends Pick<Services, 'db' | 'links' | 'testClocks'> {
  /** As its own link shows it. */
  present(opened: OpenedLink): Promise<RecorderState>;
}

/** A take that is complete but not yet processed needs nothing from the member. */
const needsMember = ({ take_status: status }: ToRecordRow): boolean =>
  status !== 'uploaded' && status !== 'processing' && status !== 'ready';

/** Opens the first intro as its own link does. Null if it closed in the meantime. */
async function openFirst(
  { db, links }: NextDeps,
  tenant: Tenant,
  { id: introId, link_generation: generation }: ToRecordRow,
): Promise<OpenedLink | null> {
  // This page may be the first place to show the link.
  await links.activateRecord(db.kysely, [{ tenant, introId, generation }]);
  const intro = await findForMember(db.kysely, tenant, introId);
  if (intro === null || !isOpen(intro.status)) return null;
  const token = new URL(links.recordUrl(introId, generation)).pathname.split('/').at(-1) ?? '';
  return { tenant, introId, expiresAt: null, token, intro: intro as OpenedLink['intro'] };
}

/** The intro that the member of this link should record next. */
export async function findNext(deps: NextDeps, opened: OpenedLink, skipped: readonly string[]): Promise<RecorderNext> {
  const { db, testClocks, present } = deps;
  const { tenant, introId, expiresAt, intro } = opened;
  const now = testClocks.now(tenant);
  const link = { expiresAt, recordedAt: intro.recorded_at, isMemberActive: intro.member_active };
  if (!mayLeadOn(link, now)) return NOWHERE;
  const known = [introId, ...skipped];
  const rows = await listToRecord(db.kysely, tenant, intro.member_id, MAX_LEFT + known.length + 1);
  const open = rows.filter(
    (row) => !known.includes(row.id) && needsMember(row) && (row.expires_at === null || row.expires_at > now),
  );
  const [first] = open;
  const next = first === undefined ? null : await openFirst(deps, tenant, first);
  return {
    next: next && { api: `/r/${next.token}`, state: await present(next) },
    left: Math.min(open.length, MAX_LEFT),
    has_more: open.length > MAX_LEFT,
    home: HOME,
  };
}
