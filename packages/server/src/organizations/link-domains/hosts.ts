import type { Database } from '../../db/tenancy.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import { hostOfHeader, pathOnLinkDomain } from './rules.ts';
import { listServedHosts } from './store.ts';

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
