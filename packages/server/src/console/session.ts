import { type ConsoleSession, iso, type SIGN_IN_OPERATIONS } from '@foreword/contract';
import type { Db, Tenant, Tx } from '../db/tenancy.ts';
import { hasIntros } from '../intros/index.ts';
import { ApiError } from '../platform/errors.ts';
import { pick } from '../platform/json.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { NEEDED } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ConsoleHandlers } from './operations.ts';
import type { ConsoleUser } from './sessions/service.ts';
import { endSessions, type FoundSession, findSessionOf, listSessions } from './sessions/store.ts';

/** The address of a photo or logo, from its object key. */
export const fileUrl = (key: string | null): string | null =>
  key === null ? null : `/console/files/${encodeURIComponent(key)}`;

export async function readSession(
  { db, publicUrl }: Pick<ConsoleDeps, 'db' | 'publicUrl'>,
  tenant: Tenant,
  row: FoundSession,
): Promise<ConsoleSession> {
  return {
    member: {
      id: row.member_id,
      ...pick(row, 'first_name', 'last_name', 'email', 'role'),
      photo_url: fileUrl(row.photo),
      records: row.role === 'member' || (await hasIntros(db, tenant, row.member_id)),
    },
    organization: {
      id: row.organization_id,
      name: row.organization_name,
      industry: row.industry,
      lanes: row.organization_lanes,
      timezone: row.timezone,
      logo_url: fileUrl(row.logo),
    },
    public_url: publicUrl,
    passkey_needed_from: row.role !== 'member' && !row.has_passkeys ? iso(row.second_factor_from) : null,
  };
}

/** The session of a signed-in member. Throws 401 when it has ended meanwhile. */
export async function requireSession(db: Db, { tenant, sessionId }: ConsoleUser): Promise<FoundSession> {
  const row = await findSessionOf(db, tenant, sessionId);
  if (row === null) throw new ApiError('unauthorized', NEEDED.member);
  return row;
}

/** Ends sessions of the member, and returns how many ended. */
export async function endAndRecord(
  tx: Tx,
  { tenant, memberId }: Pick<ConsoleUser, 'tenant' | 'memberId'>,
  which: { only: string } | { allBut: string },
  now: Date,
): Promise<number> {
  const ended = await endSessions(tx, tenant, memberId, which, now);
  const object = 'only' in which ? which.only : memberId;
  if (ended > 0) await recordChange(tx, tenant, { action: 'session.ended', object, by: memberId });
  return ended;
}

export function createSessionHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof SIGN_IN_OPERATIONS> {
  const { clock } = deps;
  const db = deps.db.kysely;
  const end = (user: ConsoleUser, which: { only: string } | { allBut: string }) =>
    db.transaction().execute((tx) => endAndRecord(tx, user, which, clock()));
  return {
    readSession: async (user) => readSession(deps, user.tenant, await requireSession(db, user)),
    async signOut(user) {
      await end(user, { only: user.sessionId });
      return { signed_out: true };
    },
    async listSessions(user) {
      const rows = await listSessions(db, user.tenant, user.memberId, clock());
      return {
        sessions: rows.map(({ id, device, seen_at }) => ({
          id,
          device,
          is_this: id === user.sessionId,
          last_seen_at: seen_at.toISOString(),
        })),
      };
    },
    async endSession(user, { params }) {
      const ended = await end(user, { only: params.id });
      if (ended === 0) throw new ApiError('not_found', 'That device is no longer signed in.');
      return { revoked: true };
    },
    async endOtherSessions(user) {
      return { revoked: await end(user, { allBut: user.sessionId }) };
    },
  };
}
