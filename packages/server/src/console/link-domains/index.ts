/** Adds, checks and removes link domains. */

import { type ConsoleLinkDomains, type LINK_DOMAINS_OPERATIONS, MAX_LINK_DOMAINS } from '@foreword/contract';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, callerOf, retryKey } from '../operations.ts';
import { requireOrganization } from '../organization.ts';
import type { ConsoleUser } from '../sessions/service.ts';

export function createLinkDomainsHandlers({
  db,
  use,
  publicUrl,
}: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof LINK_DOMAINS_OPERATIONS> {
  const list = async (user: ConsoleUser): Promise<ConsoleLinkDomains> => {
    const [{ timezone }, { data }] = await Promise.all([
      requireOrganization(db.kysely, user.tenant),
      use('listLinkDomains', callerOf(user), { query: { limit: MAX_LINK_DOMAINS } }),
    ]);
    return { domains: data, service_host: new URL(publicUrl).host, timezone };
  };
  return {
    'GET /link-domains': ({ user }) => list(user),
    async 'POST /link-domains'({ user, body: { key, host } }) {
      await use('createLinkDomain', callerOf(user), { key: retryKey(user, key), body: { host } });
      return list(user);
    },
    async 'POST /link-domains/:id/check'({ user, params }) {
      await use('checkLinkDomain', callerOf(user), { params });
      return list(user);
    },
    async 'DELETE /link-domains/:id'({ user, params }) {
      await use('deleteLinkDomain', callerOf(user), { params });
      return list(user);
    },
  };
}
