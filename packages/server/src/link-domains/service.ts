import { ERRORS, type LinkDomain, type List, MAX_LINK_DOMAINS, type PageQuery } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { recordChange } from '../audit/index.ts';
import type { Row, Tables, Tenant } from '../db/tenancy.ts';
import { once } from '../idempotency/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN, newId, randomBase62 } from '../platform/ids.ts';
import type { Answer } from '../platform/operations.ts';
import { readPage } from '../platform/paging.ts';
import { presentDomain } from './present.ts';
import { MIN_CHECK_GAP_MS, readHost } from './rules.ts';
import * as store from './store.ts';

const PATH = '/v1/link-domains';
const CHALLENGE_LENGTH = 24;

const notFound = () => new ApiError('not_found', 'No link domain with this id in this organization and environment.');

async function find(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<Row<'link_domains'>> {
  const row = ID_PATTERN.test(id) ? await store.findDomain(db, tenant, id) : null;
  if (row === null) throw notFound();
  return row;
}

/** Throws an ApiError for an invalid host, one that the organization has already, or one too many. */
export async function addDomain(
  tx: Transaction<Tables>,
  tenant: Tenant,
  { host: text, serviceHost, now }: { readonly host: string; readonly serviceHost: string; readonly now: Date },
): Promise<Row<'link_domains'>> {
  const read = readHost(text, serviceHost);
  if ('problem' in read) throw invalid('host', read.problem);
  const { host } = read;
  const existing = await store.lockAndListDomains(tx, tenant);
  if (existing.some((row) => row.host === host)) {
    throw new ApiError('link_domain_exists', `The organization already has the link domain ${host}.`);
  }
  if (existing.length >= MAX_LINK_DOMAINS) {
    throw new ApiError('link_domain_limit', ERRORS.link_domain_limit.example);
  }
  const row: Row<'link_domains'> = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
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

/** Null if the domain does not exist. */
export const requestCheck = (
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<Row<'link_domains'> | null> =>
  store.requestCheck(db, tenant, { id, at: now, earliestAfterMs: MIN_CHECK_GAP_MS });

/** False if the domain does not exist. */
export async function removeDomain(tx: Transaction<Tables>, tenant: Tenant, id: string): Promise<boolean> {
  if (!(await store.removeDomain(tx, tenant, id))) return false;
  await recordChange(tx, tenant, { action: 'link_domain.removed', object: id });
  return true;
}

export interface LinkDomainService {
  create(tenant: Tenant, key: string, body: { readonly host: string }): Promise<Answer>;
  list(tenant: Tenant, query: PageQuery): Promise<List<LinkDomain>>;
  retrieve(tenant: Tenant, id: string): Promise<LinkDomain>;
  /** Requests a check by a worker. */
  check(tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer>;
  remove(tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer>;
}

export function createLinkDomainService({
  db,
  clock,
  publicUrl,
}: {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly publicUrl: string;
}): LinkDomainService {
  const serviceHost = new URL(publicUrl).hostname;
  const present = (row: Row<'link_domains'>) => presentDomain(row, serviceHost);
  return {
    create: (tenant, key, body) =>
      once(db, { tenant, key, method: 'POST', path: PATH, body }, async (tx) => {
        const row = await addDomain(tx, tenant, { host: body.host, serviceHost, now: clock() });
        return { objectId: row.id, body: JSON.stringify(present(row)) };
      }),
    list: (tenant, query) =>
      readPage(query, {
        exists: async (id) => (await store.findDomain(db.kysely, tenant, id)) !== null,
        rows: (page) => store.listDomains(db.kysely, tenant, page),
        present,
      }),
    retrieve: async (tenant, id) => present(await find(db.kysely, tenant, id)),
    check: (tenant, key, id, body) =>
      once(db, { tenant, key, method: 'POST', path: `${PATH}/${id}/check`, body }, async (tx) => {
        const row = ID_PATTERN.test(id) ? await requestCheck(tx, tenant, id, clock()) : null;
        if (row === null) throw notFound();
        return { objectId: id, body: JSON.stringify(present(row)) };
      }),
    remove: (tenant, key, id, body) =>
      once(db, { tenant, key, method: 'DELETE', path: `${PATH}/${id}`, body }, async (tx) => {
        if (!ID_PATTERN.test(id) || !(await removeDomain(tx, tenant, id))) throw notFound();
        return { objectId: id, body: JSON.stringify({ id, object: 'link_domain', deleted: true }) };
      }),
  };
}
