import { Type } from 'typebox';
import { type LinkDomain, LinkHost } from '../link-domains.ts';
import { define, RetryKey, response } from './operation.ts';

export interface ConsoleLinkDomains {
  readonly domains: readonly LinkDomain[];
  /** The host of the links without an own domain. */
  readonly service_host: string;
  readonly timezone: string;
}

export const LINK_DOMAINS_OPERATIONS = define({
  'GET /link-domains': { role: 'owner', response: response<ConsoleLinkDomains>() },
  'POST /link-domains': {
    role: 'owner',
    body: Type.Object({ host: LinkHost, key: RetryKey }, { additionalProperties: false }),
    response: response<ConsoleLinkDomains>(),
  },
  'POST /link-domains/:id/check': { role: 'owner', response: response<ConsoleLinkDomains>() },
  'DELETE /link-domains/:id': { role: 'owner', response: response<ConsoleLinkDomains>() },
});
