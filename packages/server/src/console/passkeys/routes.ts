import { NewPasskey, type PendingSignIn, UsedPasskey } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, Type } from 'typebox';
import type { Database } from '../../db/tenancy.ts';
import { registerRoute, requireJson } from '../../http/index.ts';
import { createLinkRateLimit } from '../../intros/links/index.ts';
import { type Clock, monotonicMs } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ShellContent } from '../document.ts';
import { memberActor } from '../operations.ts';
import type { Cookies } from '../sessions/cookies.ts';
import { IDLE_LIFE_MS, readNext, type SignInStep } from '../sessions/rules.ts';
import type { SignedIn } from '../sessions/service.ts';
import { endSessions } from '../sessions/store/ending.ts';
import { PASSKEY_PATH } from './rules.ts';
import type { Passkeys } from './service.ts';

interface PasskeySignInDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly passkeys: Passkeys;
  readonly access: ConsoleAccess;
  readonly cookies: Cookies;
  readonly sendShell: (request: FastifyRequest, reply: FastifyReply, content: ShellContent) => Promise<FastifyReply>;
}

const NOTHING = Type.Object({}, { additionalProperties: false });

/** The last step of a sign-in by a member who has a passkey, or has to add one. The session exists, but opens nothing yet. */
export function registerPasskeySignIn(app: FastifyInstance, deps: PasskeySignInDeps): void {
  const { db, clock, passkeys, access, cookies, sendShell } = deps;
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
    {
      step,
      body,
      handle,
    }: {
      step: Exclude<SignInStep, 'done'>;
      body: TObject;
      handle: (user: SignedIn, body: never) => Promise<object | string>;
    },
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

  register('options', { step: 'use_passkey', body: NOTHING, handle: (user) => passkeys.startUsing(user) });
  register('use', {
    step: 'use_passkey',
    body: UsedPasskey,
    handle: (user, { response }: { response: Parameters<Passkeys['use']>[1] }) =>
      passkeys.use(user, response).catch(async (error: unknown) => {
        if (error instanceof ApiError) await recordFailure(user);
        throw error;
      }),
  });
  register('add/options', { step: 'add_passkey', body: NOTHING, handle: (user) => passkeys.startAdding(user) });
  register('add', {
    step: 'add_passkey',
    body: NewPasskey,
    handle: (user, body: Parameters<Passkeys['addToSignIn']>[1]) => passkeys.addToSignIn(user, body),
  });
}
