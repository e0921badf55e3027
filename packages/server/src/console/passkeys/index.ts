/** Passkeys as a second factor. */

import { iso, type PASSKEY_OPERATIONS, type Passkey, type SecondFactor } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { requireMember } from '../../members/index.ts';
import { findOrganization, setSecondFactorFrom } from '../../organizations/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { RECENT_MS } from '../sessions/rules.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { endAccess } from '../sessions/store/ending.ts';
import { findSessionOf } from '../sessions/store.ts';
import { GRACE_MS } from './rules.ts';
import type { Passkeys } from './service.ts';
import {
  deletePasskeys,
  listPasskeys,
  listWithoutPasskey,
  lockPasskeys,
  type PasskeyRow,
  renamePasskey,
  unconfirmSessions,
} from './store.ts';

const present = (row: PasskeyRow): Passkey => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at.toISOString(),
  last_used_at: iso(row.last_used_at),
});

const notFound = () => new ApiError('not_found', 'This passkey no longer exists.');

type Handlers = Pick<ConsoleHandlers, keyof typeof PASSKEY_OPERATIONS>;

/** Removes all passkeys of a member who lost them, and ends the sessions that they confirmed. Returns how many. */
export async function resetPasskeys(tx: Db, tenant: Tenant, memberId: string, now: Date): Promise<number> {
  const owner = { tenant, memberId };
  await lockPasskeys(tx, owner);
  const removed = await deletePasskeys(tx, owner, 'all');
  if (removed > 0) {
    await endAccess(tx, tenant, [memberId], now);
    await recordChange(tx, tenant, { action: 'passkey.reset', object: memberId });
  }
  return removed;
}

export function createPasskeyHandlers(deps: ConsoleDeps, passkeys: Passkeys): Handlers {
  const { db, clock } = deps;

  async function sessionOf(user: ConsoleUser) {
    const row = await findSessionOf(db.kysely, user.tenant, user.sessionId);
    if (row === null) throw new ApiError('unauthorized', 'You are no longer signed in. Sign in again.');
    return { ...user, row };
  }

  /** A stolen session could otherwise add a passkey, and so keep the member out. */
  const needsSignIn = ({ row }: Awaited<ReturnType<typeof sessionOf>>): boolean =>
    row.second_factor_at === null && clock().getTime() - row.created_at.getTime() > RECENT_MS;

  async function recentSessionOf(user: ConsoleUser) {
    const session = await sessionOf(user);
    if (!needsSignIn(session)) return session;
    throw new ApiError('passkey_refused', 'To add a passkey, sign in again first.');
  }

  async function readSecondFactor({ tenant }: ConsoleUser): Promise<SecondFactor> {
    const organization = await findOrganization(db.kysely, tenant.organizationId);
    return {
      required_from: organization?.second_factor_from?.toISOString() ?? null,
      missing: await listWithoutPasskey(db.kysely, tenant),
    };
  }

  return {
    async listPasskeys(user) {
      const session = await sessionOf(user);
      return {
        passkeys: (await listPasskeys(db.kysely, user)).map(present),
        unavailable_because: passkeys.unavailableBecause,
        needs_sign_in: needsSignIn(session),
        suggested_name: session.row.device,
      };
    },
    startPasskey: async (user) => ({ ...(await passkeys.startAdding(await recentSessionOf(user))) }),
    addPasskey: async (user, { body }) => present(await passkeys.add(await recentSessionOf(user), body)),
    async renamePasskey(user, { params: { id }, body: { name } }) {
      const row = await db.kysely.transaction().execute(async (tx) => {
        const renamed = await renamePasskey(tx, user, { id, name });
        if (renamed === null) throw notFound();
        await recordChange(tx, user.tenant, { action: 'passkey.renamed', object: id, fields: ['name'] });
        return renamed;
      });
      return present(row);
    },
    async removePasskey(user, { params: { id } }) {
      await db.kysely.transaction().execute(async (tx) => {
        await lockPasskeys(tx, user);
        const others = (await listPasskeys(tx, user)).filter((row) => row.id !== id);
        if ((await deletePasskeys(tx, user, { only: id })) === 0) throw notFound();
        await recordChange(tx, user.tenant, { action: 'passkey.removed', object: id });
        if (others.length > 0) return;
        const organization = await findOrganization(tx, user.tenant.organizationId);
        if (organization?.second_factor_from && user.role !== 'member') {
          throw new ApiError(
            'forbidden',
            'Your organization requires a passkey. Add another one before you remove this one.',
          );
        }
        await unconfirmSessions(tx, user);
      });
      return { removed: true };
    },
    readSecondFactor: (user) => readSecondFactor(user),
    async changeSecondFactor(user, { body: { required } }) {
      if (required && passkeys.unavailableBecause !== null) {
        throw new ApiError('passkey_refused', passkeys.unavailableBecause);
      }
      if (required && (await listPasskeys(db.kysely, user)).length === 0) {
        throw new ApiError('passkey_refused', 'Add a passkey for yourself first, so that you can sign in.');
      }
      const from = required ? new Date(clock().getTime() + GRACE_MS) : null;
      const { tenant } = user;
      await db.kysely.transaction().execute(async (tx) => {
        await setSecondFactorFrom(tx, tenant.organizationId, from);
        const fields = ['second_factor'];
        await recordChange(tx, tenant, { action: 'organization.changed', object: tenant.organizationId, fields });
      });
      return readSecondFactor(user);
    },
    async countPasskeys({ tenant }, { params: { id } }) {
      await db.kysely.transaction().execute((tx) => requireMember(tx, tenant, id));
      return { count: (await listPasskeys(db.kysely, { tenant, memberId: id })).length };
    },
    async resetPasskeys({ tenant }, { params: { id } }) {
      const removed = await db.kysely.transaction().execute(async (tx) => {
        await requireMember(tx, tenant, id);
        return resetPasskeys(tx, tenant, id, clock());
      });
      return { removed };
    },
  };
}
