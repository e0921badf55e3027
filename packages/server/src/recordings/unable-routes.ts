import { DeclineBody, HandOverBody } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../app/services.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import { type Decline, handOver, type Reassign } from '../intros/index.ts';
import { listColleagues } from '../members/index.ts';
import { type ApiError, invalid } from '../platform/errors.ts';
import { withRequest } from '../platform/origin.ts';
import { compileCheck } from '../platform/validate.ts';
import type { LinkOpener } from './open-link.ts';

export interface UnableDeps extends Pick<Services, 'db' | 'testClocks'> {
  readonly decline: Decline;
  readonly reassign: Reassign;
}

type ByToken = { Params: { token: string } };

const checkDecline = compileCheck(DeclineBody, 'body');
const checkHandOver = compileCheck(HandOverBody, 'body');

function readBody<T>(body: unknown, check: (value: unknown) => unknown): T {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(body));
  } catch {
    throw invalid('body', 'must be JSON');
  }
  return check(parsed) as T;
}

/** For a member who cannot record the intro: decline it, or hand it over to a colleague. */
export function registerUnable(app: FastifyInstance, deps: UnableDeps, { openForScript }: LinkOpener): void {
  const { db, testClocks, decline, reassign } = deps;

  async function act(tenant: Tenant, move: (tx: Tx, now: Date) => Promise<ApiError | null>): Promise<void> {
    const refusal = await db.kysely.transaction().execute((tx) => move(tx, testClocks.now(tenant)));
    if (refusal !== null) throw refusal;
  }

  app.post<ByToken>('/r/:token/decline', { config: { operation: 'recorderDecline' } }, async (request, reply) => {
    const opened = await openForScript(request, reply, 'record');
    if (opened === null) return reply;
    const { reason, message = null } = readBody<DeclineBody>(request.body, checkDecline);
    const wanted = { introId: opened.introId, memberId: opened.intro.member_id, reason, message: message || null };
    await act(opened.tenant, (tx, now) => decline(tx, opened.tenant, wanted, now));
    return reply.code(204).send();
  });

  app.get<ByToken>('/r/:token/colleagues', { config: { operation: 'recorderColleagues' } }, async (request, reply) => {
    const opened = await openForScript(request, reply, 'record');
    if (opened === null) return reply;
    return reply.send({ colleagues: await listColleagues(db.kysely, opened.tenant, opened.intro.member_id) });
  });

  app.post<ByToken>('/r/:token/hand-over', { config: { operation: 'recorderHandOver' } }, async (request, reply) => {
    const opened = await openForScript(request, reply, 'record');
    if (opened === null) return reply;
    const { member: to } = readBody<HandOverBody>(request.body, checkHandOver);
    const wanted = { introId: opened.introId, from: opened.intro.member_id, to };
    await withRequest(request, { type: 'member', id: wanted.from }, () =>
      act(opened.tenant, (tx, now) => handOver({ reassign }, tx, opened.tenant, wanted, now)),
    );
    return reply.code(204).send();
  });
}
