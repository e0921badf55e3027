import { ERRORS, iso, type LinkDomain, MAX_LINK_DOMAINS } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Services } from '../../app/services.ts';
import { readPage } from '../../db/lists.ts';
import {
  columnsOf,
  type Database,
  type Db,
  lockOrganization,
  type Row,
  type Tenant,
  type Tx,
} from '../../db/tenancy.ts';
import type { Handlers } from '../../http/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN, newId, randomBase62 } from '../../platform/ids.ts';
import { pick } from '../../platform/json.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import { answerTo, NONCE } from './checking.ts';
import {
  fileUrlOf,
  hostOfHeader,
  MIN_CHECK_GAP_MS,
  pathOnLinkDomain,
  proofOf,
  REACH_PATH,
  readHost,
  recordNameOf,
} from './rules.ts';
import * as store from './store.ts';

const CHALLENGE_LENGTH = 24;

const notFound = () => new ApiError('not_found', 'No link domain with this id in this organization and environment.');

/** Throws 404 if there is none. */
async function requireDomain(db: Db, tenant: Tenant, id: string): Promise<Row<'link_domains'>> {
  const row = ID_PATTERN.test(id) ? await store.findDomain(db, tenant, id) : null;
  if (row === null) throw notFound();
  return row;
}

/** Throws an ApiError for an invalid host, one that the organization has already, or one too many. */
async function addDomain(
  tx: Tx,
  tenant: Tenant,
  { host: text, serviceHost, now }: { readonly host: string; readonly serviceHost: string; readonly now: Date },
): Promise<Row<'link_domains'>> {
  const read = readHost(text, serviceHost);
  if ('problem' in read) throw invalid('host', read.problem);
  const { host } = read;
  await lockOrganization(tx, tenant);
  const existing = await store.listDomains(tx, tenant);
  if (existing.some((row) => row.host === host)) {
    throw new ApiError('link_domain_exists', `The organization already has the link domain ${host}.`);
  }
  if (existing.length >= MAX_LINK_DOMAINS) {
    throw new ApiError('link_domain_limit', ERRORS.link_domain_limit.example);
  }
  const row: Row<'link_domains'> = {
    ...columnsOf(tenant),
    id: newId('lkd', now),
    host,
    challenge: randomBase62(CHALLENGE_LENGTH),
    state: 'pending',
    created_at: now,
    verified_at: null,
    active_at: null,
    failing_since: null,
    checked_at: null,
    check_at: now,
    failure_code: null,
    failure_message: null,
  };
  await store.insertDomain(tx, row);
  await recordChange(tx, tenant, { action: 'link_domain.added', object: row.id });
  return row;
}

/** A worker checks it soon. */
async function requestCheck(db: Db, tenant: Tenant, id: string, now: Date): Promise<Row<'link_domains'>> {
  const wanted = { id, at: now, earliestAfterMs: MIN_CHECK_GAP_MS };
  const row = ID_PATTERN.test(id) ? await store.requestCheck(db, tenant, wanted) : null;
  if (row === null) throw notFound();
  return row;
}

async function removeDomain(tx: Tx, tenant: Tenant, id: string) {
  if (!ID_PATTERN.test(id) || !(await store.removeDomain(tx, tenant, id))) throw notFound();
  await recordChange(tx, tenant, { action: 'link_domain.removed', object: id });
  return { id, object: 'link_domain', deleted: true } as const;
}

/** `serviceHost` is the host of PUBLIC_URL. */
function presentDomain(row: Row<'link_domains'>, serviceHost: string): LinkDomain {
  const { id, host, state, failure_code: code, failure_message: message } = row;
  if (state === 'removed') throw new Error(`the link domain ${id} was removed`);
  const value = proofOf(row.challenge);
  return {
    id,
    object: 'link_domain',
    host,
    state,
    points_to: serviceHost,
    verification: {
      dns: { type: 'TXT', name: recordNameOf(host), value },
      http: { url: fileUrlOf(host), value },
    },
    failure: code === null || message === null ? null : { code, message },
    ...pick(row, 'created_at', 'verified_at', 'active_at', 'failing_since', 'checked_at'),
    next_check_at: iso(row.check_at),
    environment: row.environment,
  };
}

export function linkDomainOperations(deps: Pick<Services, 'db' | 'clock' | 'publicUrl'>) {
  const { kysely } = deps.db;
  const { clock } = deps;
  const serviceHost = new URL(deps.publicUrl).hostname;
  const present = (row: Row<'link_domains'>) => presentDomain(row, serviceHost);
  return {
    createLinkDomain: async (tx, caller, { body: { host } }) =>
      present(await addDomain(tx, caller, { host, serviceHost, now: clock() })),
    listLinkDomains: (caller, { query }) =>
      readPage(query, {
        exists: async (id) => (await store.findDomain(kysely, caller, id)) !== null,
        rows: (page) => store.listDomains(kysely, caller, page),
        present,
      }),
    retrieveLinkDomain: async (caller, { params }) => present(await requireDomain(kysely, caller, params.id)),
    checkLinkDomain: async (tx, caller, { params }) => present(await requestCheck(tx, caller, params.id, clock())),
    deleteLinkDomain: (tx, caller, { params }) => removeDomain(tx, caller, params.id),
  } satisfies Partial<Handlers>;
}

/** Well below the time after which links with a new host may be created. */
const REFRESH_MS = 3_000;

/** The link domains of all organizations, in memory: every request needs to know whether its host is one. */
export async function watchLinkHosts({ db, log }: { db: Database; log: Logger }) {
  let organizations = new Map<string, string>();
  const refresh = async () => {
    const rows = await store.listServedHosts(db.kysely);
    organizations = new Map(rows.map(({ host, organization_id }) => [host, organization_id]));
  };
  await refresh();
  const refreshing = every(REFRESH_MS, 'read link domains', log, refresh);
  /** The link domain of a `Host` header and its organization; null for any other host. */
  const find = (header: string | undefined): { readonly host: string; readonly organizationId: string } | null => {
    if (organizations.size === 0 || header === undefined) return null;
    const host = hostOfHeader(header);
    const organizationId = organizations.get(host);
    return organizationId === undefined ? null : { host, organizationId };
  };
  return {
    find,
    /** The path within the service of a request. */
    pathOf: (header: string | undefined, url: string) => (find(header) === null ? url : pathOnLinkDomain(url)),
    stop: () => refreshing.stop(),
  };
}

export type LinkHosts = Awaited<ReturnType<typeof watchLinkHosts>>;

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

  const find = (header: string) => store.findServedHost(db.kysely, hostOfHeader(header.replaceAll('\0', '')));
}
