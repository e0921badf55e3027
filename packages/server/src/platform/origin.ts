import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditActor } from '@foreword/contract';
import type { FastifyRequest } from 'fastify';

/** Who causes the changes of a request or command, and from where. */
export interface Origin {
  readonly actor: { readonly type: AuditActor; readonly id: string | null };
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

const SYSTEM: Origin = { actor: { type: 'system', id: null }, ip: null, userAgent: null, requestId: null };
export const OPERATOR: Origin = { ...SYSTEM, actor: { type: 'operator', id: null } };

const origins = new AsyncLocalStorage<Origin>();

/** Background work has no origin of its own, so the service itself is the actor. */
export const currentOrigin = (): Origin => origins.getStore() ?? SYSTEM;

export const withOrigin = <T>(origin: Origin, work: () => T): T => origins.run(origin, work);

/** For work that a request starts, but that is not its doing. */
export const asSystem = <T>(work: () => T): T => origins.run(SYSTEM, work);

export const withRequest = <T>(request: FastifyRequest, actor: Origin['actor'], work: () => T): T =>
  origins.run({ actor, ip: request.ip, userAgent: request.headers['user-agent'] ?? null, requestId: request.id }, work);
