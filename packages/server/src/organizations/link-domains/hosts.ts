import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/tenancy.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { answerTo, NONCE } from './checking.ts';
import { hostOfHeader, pathOnLinkDomain, REACH_PATH } from './rules.ts';
import { findServedHost, listServedHosts } from './store.ts';

/** Well below the time after which links with a new host may be created. */
const REFRESH_MS = 3_000;

/** The link domains of all organizations, in memory: every request needs to know whether its host is one. */
export interface LinkHosts {
  /** The link domain of a `Host` header and its organization; null for any other host. */
  find(header: string | undefined): { readonly host: string; readonly organizationId: string } | null;
  /** The path within the service of a request. */
  pathOf(header: string | undefined, url: string): string;
  stop(): Promise<void>;
}

export async function watchLinkHosts({ db, log }: { db: Database; log: Logger }): Promise<LinkHosts> {
  let organizations = new Map<string, string>();
  const refresh = async () => {
    const rows = await listServedHosts(db.kysely);
    organizations = new Map(rows.map(({ host, organization_id }) => [host, organization_id]));
  };
  await refresh();
  const refreshing = every(REFRESH_MS, 'read link domains', log, refresh);
  const find: LinkHosts['find'] = (header) => {
    if (organizations.size === 0 || header === undefined) return null;
    const host = hostOfHeader(header);
    const organizationId = organizations.get(host);
    return organizationId === undefined ? null : { host, organizationId };
  };
  return {
    find,
    pathOf: (header, url) => (find(header) === null ? url : pathOnLinkDomain(url)),
    stop: () => refreshing.stop(),
  };
}

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
