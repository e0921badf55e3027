import {
  type BodyOf,
  CONSOLE_OPERATIONS,
  type ConsoleId,
  type ConsoleOperation,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '@foreword/contract';
import type { Db, Row, Tenant } from '../db/tenancy.ts';
import type { Credential, Served } from '../http/index.ts';
import { findOrganization } from '../organizations/index.ts';
import { ApiError } from '../platform/errors.ts';
import type { FairQueue } from '../platform/fair-queue.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleUser } from './sessions/service.ts';

type Operations = typeof CONSOLE_OPERATIONS;

export interface ConsoleInput<K extends ConsoleId> {
  readonly params: ParamsOf<Operations[K]>;
  readonly query: QueryOf<Operations[K]>;
  readonly body: BodyOf<Operations[K]>;
  /** The Idempotency-Key, scoped to the member, if the operation needs one. */
  readonly key: string;
}

/** One handler for each operation that only the console uses. A missing one is a type error. */
export type ConsoleHandlers = {
  readonly [K in ConsoleId]: (user: ConsoleUser, input: ConsoleInput<K>) => Promise<ResponseOf<Operations[K]>>;
};

/** A signed-in member, for the audit log. */
export const memberActor = ({ memberId: id }: Pick<ConsoleUser, 'memberId'>) => ({ type: 'member', id }) as const;

/** For the members of a team. The cookie is sent below `/console` only, so it never authenticates the API of integrations. */
export function sessions(access: ConsoleAccess, queue: FairQueue): Credential {
  const userOf = ({ state }: { readonly state: { readonly caller: unknown } }) => state.caller as ConsoleUser;
  return {
    prefix: '/console/api',
    isConditional: false,
    async authorize(request, _reply, { method, role, forSelf }) {
      if (role === undefined) throw new Error('the operation is not for sessions');
      const { id } = request.params as { readonly id?: string };
      request.state.caller = await access.admit(request, role, forSelf && id);
      if (method !== 'GET') access.requireSameOrigin(request);
    },
    actorOf: (request) => memberActor(userOf(request)),
    openSlot: (request, client) => queue.slot(userOf(request).organizationId, 1, client),
    // Two members' pages may generate the same key.
    scopeKey: (request, key) => `console:${userOf(request).memberId}:${key}`,
    keepPrivate,
  };
}

/** The operations that only the console uses, with their handlers. */
export const serveConsole = (handlers: ConsoleHandlers): readonly Served[] =>
  (Object.entries(CONSOLE_OPERATIONS) as [ConsoleId, ConsoleOperation][]).map(([name, operation]) => {
    // The schemas have checked query and body, which TypeScript cannot relate to an id that varies.
    const handle = handlers[name] as (user: unknown, input: unknown) => Promise<object>;
    return {
      name,
      operation,
      isKeyed: operation.isKeyed === true,
      run: async (user, input, { key }) => ({ body: await handle(user, { ...input, key }) }),
    };
  });

/** The organization of the signed-in member. The operator may have removed it meanwhile. */
export async function requireOrganization(
  db: Db,
  { organizationId }: Pick<Tenant, 'organizationId'>,
): Promise<Row<'organizations'>> {
  const organization = await findOrganization(db, organizationId);
  if (organization === null) throw new ApiError('not_found', 'This organization no longer exists.');
  return organization;
}
