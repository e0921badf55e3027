import { ERRORS, iso, type LinkDomain, MAX_LINK_DOMAINS } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { readPage } from '../../db/lists.ts';
import type { Db, Row, Tenant, Tx } from '../../db/tenancy.ts';
import type { Handlers } from '../../http/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN, newId, randomBase62 } from '../../platform/ids.ts';
import { recordChange } from '../../privacy/audit/index.ts';
import { fileUrlOf, MIN_CHECK_GAP_MS, proofOf, readHost, recordNameOf } from './rules.ts';
import * as store from './store.ts';
import { findDomain, listDomains } from './store.ts';

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
    created_at: row.created_at.toISOString(),
    verified_at: iso(row.verified_at),
    active_at: iso(row.active_at),
    failing_since: iso(row.failing_since),
    checked_at: iso(row.checked_at),
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
        exists: async (id) => (await findDomain(kysely, caller, id)) !== null,
        rows: (page) => listDomains(kysely, caller, page),
        present,
      }),
    retrieveLinkDomain: async (caller, { params }) => present(await requireDomain(kysely, caller, params.id)),
    checkLinkDomain: async (tx, caller, { params }) => present(await requestCheck(tx, caller, params.id, clock())),
    deleteLinkDomain: (tx, caller, { params }) => removeDomain(tx, caller, params.id),
  } satisfies Partial<Handlers>;
}
