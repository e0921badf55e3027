import type { Services } from '../../app/services.ts';
import type { Row } from '../../db/tenancy.ts';
import type { Handlers } from '../../http/index.ts';
import { readPage } from '../../platform/paging.ts';
import { presentDomain } from './present.ts';
import { addDomain, removeDomain, requestCheck, requireDomain } from './service.ts';
import { findDomain, listDomains } from './store.ts';

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
