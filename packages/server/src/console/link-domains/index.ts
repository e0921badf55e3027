/** Adds, checks and removes link domains. */

import { type ConsoleLinkDomains, type LINK_DOMAINS_OPERATIONS, MAX_LINK_DOMAINS } from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, retryKey } from '../operations.ts';
import { requireOrganization } from '../organization.ts';

/** Each click is a request of its own: these operations are idempotent. */
const requestKey = (requestId: string): string => `console:${requestId}`;

export function createLinkDomainsHandlers({
  db,
  linkDomains,
  publicUrl,
}: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof LINK_DOMAINS_OPERATIONS> {
  const list = async (tenant: Tenant): Promise<ConsoleLinkDomains> => {
    const [{ timezone }, { data }] = await Promise.all([
      requireOrganization(db.kysely, tenant),
      linkDomains.list(tenant, { limit: MAX_LINK_DOMAINS }),
    ]);
    return { domains: data, service_host: new URL(publicUrl).host, timezone };
  };
  return {
    'GET /link-domains': ({ user: { tenant } }) => list(tenant),
    async 'POST /link-domains'({ user, body: { key, host } }) {
      await linkDomains.create(user.tenant, retryKey(user, key), { host });
      return list(user.tenant);
    },
    async 'POST /link-domains/:id/check'({ user: { tenant }, params: { id }, requestId }) {
      await linkDomains.check(tenant, requestKey(requestId), id, {});
      return list(tenant);
    },
    async 'DELETE /link-domains/:id'({ user: { tenant }, params: { id }, requestId }) {
      await linkDomains.remove(tenant, requestKey(requestId), id, {});
      return list(tenant);
    },
  };
}
