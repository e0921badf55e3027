/** Passkeys as a second factor. */

import {
  NewPasskey,
  type PASSKEY_OPERATIONS,
  type Passkey,
  type PendingSignIn,
  type SecondFactor,
  type TObject,
  Type,
  UsedPasskey,
} from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { registerRoute, requireJson } from '../../http/index.ts';
import { createLinkRateLimit } from '../../intros/links/index.ts';
import { requireMember } from '../../members/index.ts';
import { findOrganization, setSecondFactorFrom } from '../../organizations/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { pick } from '../../platform/json.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import { keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, memberActor } from '../operations.ts';
import { requireSession } from '../session.ts';
import { IDLE_LIFE_MS, RECENT_MS, readNext, type SignInStep } from '../sessions/rules.ts';
import type { ConsoleUser, SignedIn } from '../sessions/service.ts';
import { endAccess, endSessions } from '../sessions/store.ts';
import type { createShell } from '../shell.ts';
import type { SignInDeps } from '../signin/routes.ts';
import { GRACE_MS, PASSKEY_PATH } from './rules.ts';
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

const presentPasskey = (row: PasskeyRow): Passkey => pick(row, 'id', 'name', 'created_at', 'last_used_at');

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

  const sessionOf = async (user: ConsoleUser) => ({ ...user, row: await requireSession(db.kysely, user) });

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
        passkeys: (await listPasskeys(db.kysely, user)).map(presentPasskey),
        unavailable_because: passkeys.unavailableBecause,
        needs_sign_in: needsSignIn(session),
        suggested_name: session.row.device,
      };
    },
    startPasskey: async (user) => ({ ...(await passkeys.startAdding(await recentSessionOf(user))) }),
    addPasskey: async (user, { body }) => presentPasskey(await passkeys.add(await recentSessionOf(user), body)),
    async renamePasskey(user, { params: { id }, body: { name } }) {
      const row = await db.kysely.transaction().execute(async (tx) => {
        const renamed = await renamePasskey(tx, user, { id, name });
        if (renamed === null) throw notFound();
        await recordChange(tx, user.tenant, { action: 'passkey.renamed', object: id, fields: ['name'] });
        return renamed;
      });
      return presentPasskey(row);
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
    readSecondFactor,
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

const NOTHING = Type.Object({}, { additionalProperties: false });

/** The last step of a sign-in by a member who has a passkey, or has to add one. The session exists, but opens nothing yet. */
export function registerPasskeySignIn(
  app: FastifyInstance,
  { db, clock, access, cookies }: SignInDeps,
  passkeys: Passkeys,
  sendShell: ReturnType<typeof createShell>,
): void {
  const rateLimit = createLinkRateLimit(monotonicMs);

  app.get(PASSKEY_PATH, { config: { operation: 'console_passkey' } }, async (request, reply) => {
    const next = readNext((request.query as { next?: unknown }).next);
    const pending = await access.identifyAny(request);
    if (pending === null || pending.step === 'done') return keepPrivate(reply).redirect(next, 303);
    return sendShell(request, reply, { pending: present(pending, pending.step, next) });
  });

  app.post(`${PASSKEY_PATH}/leave`, { config: { operation: 'console_passkey_leave' } }, async (request, reply) => {
    access.requireSameOrigin(request);
    const pending = await access.identifyAny(request);
    if (pending !== null) {
      await endSessions(db.kysely, pending.tenant, pending.memberId, { only: pending.sessionId }, clock());
    }
    cookies.session.clear(reply);
    return keepPrivate(reply).redirect('/console/signin?out=1', 303);
  });

  const present = ({ row }: SignedIn, step: PendingSignIn['step'], next: string): PendingSignIn => ({
    step,
    email: row.email,
    organization: row.organization_name,
    suggested_name: row.device,
    unavailable_because: passkeys.unavailableBecause,
    next,
  });

  const recordFailure = ({ tenant, memberId }: SignedIn): Promise<void> =>
    recordChange(db.kysely, tenant, { action: 'session.failed', object: memberId, reason: 'passkey_refused' });

  /** A request of the page, by a session that needs this step. */
  function register(
    path: string,
    step: Exclude<SignInStep, 'done'>,
    body: TObject,
    handle: (user: SignedIn, body: never) => Promise<object | string>,
  ): void {
    registerRoute(app, {
      name: `console_passkey ${path}`,
      method: 'POST',
      url: `${PASSKEY_PATH}/${path}`,
      query: NOTHING,
      body,
      async authorize(request) {
        access.requireSameOrigin(request);
        const waitS = rateLimit.waitS(request.ip);
        if (waitS !== null) {
          throw new ApiError('rate_limited', 'There were too many attempts. Wait a minute, then try again.', {
            retryAfterS: waitS,
          });
        }
        rateLimit.noteMiss(request.ip);
        const pending = await access.identifyAny(request);
        if (pending === null || pending.step !== step) {
          throw new ApiError('unauthorized', 'This sign-in has ended. Sign in again.');
        }
        request.state.caller = pending;
      },
      actorOf: ({ state }) => memberActor(state.caller as SignedIn),
      parseBody: requireJson,
      async handle(request, input, reply) {
        const result = await handle(request.state.caller as SignedIn, input.body as never);
        keepPrivate(reply);
        if (typeof result !== 'string') return result;
        cookies.session.set(reply, result, IDLE_LIFE_MS);
        return { signed_in: true };
      },
    });
  }

  register('options', 'use_passkey', NOTHING, passkeys.startUsing);
  register('use', 'use_passkey', UsedPasskey, (user, { response }: { response: Parameters<Passkeys['use']>[1] }) =>
    passkeys.use(user, response).catch(async (error: unknown) => {
      if (error instanceof ApiError) await recordFailure(user);
      throw error;
    }),
  );
  register('add/options', 'add_passkey', NOTHING, passkeys.startAdding);
  register('add', 'add_passkey', NewPasskey, passkeys.addToSignIn);
}
