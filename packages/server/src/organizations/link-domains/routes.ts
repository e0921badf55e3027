import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/tenancy.ts';
import { ApiError } from '../../platform/errors.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { answerTo, NONCE } from './reach.ts';
import { hostOfHeader, REACH_PATH } from './rules.ts';
import { findServedHost } from './store.ts';

const unknownHost = () => new ApiError('not_found', 'This host is no link domain of this service.');

/** Both read the database: another node may have verified the domain a moment ago. */
export function registerLinkDomainRoutes(
  app: FastifyInstance,
  { db, serverKey }: { readonly db: Database; readonly serverKey: ServerKey },
): void {
  app.get<{ Querystring: { nonce?: unknown } }>(
    REACH_PATH,
    { config: { operation: 'link_domain_reach' } },
    async ({ headers, query: { nonce } }, reply) => {
      const domain = typeof nonce === 'string' && NONCE.test(nonce) ? await find(headers.host ?? '') : null;
      if (domain === null) throw unknownHost();
      reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8');
      return answerTo(serverKey, domain, String(nonce));
    },
  );

  // For proxies that obtain a certificate when the first client connects, such as Caddy's on_demand_tls.
  app.get<{ Querystring: { domain?: unknown } }>(
    '/link-domains/ask',
    { config: { operation: 'link_domain_ask' } },
    async ({ query: { domain } }, reply) => {
      if (typeof domain !== 'string' || (await find(domain)) === null) throw unknownHost();
      return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send('ok');
    },
  );

  const find = (header: string) => findServedHost(db.kysely, hostOfHeader(header.replaceAll('\0', '')));
}
