import type { LinkDomain } from '../link-domains.ts';
import type { Examples } from './types.ts';

const value = 'foreword-domain=4Zq8mVtQ2nXw7KpR5sLd9fHb';

const PENDING: LinkDomain = {
  id: 'lkd_01kkczv7mrw00qyd5rz5ce7eex',
  object: 'link_domain',
  host: 'go.acme.example',
  state: 'pending',
  points_to: 'intros.example.com',
  verification: {
    dns: { type: 'TXT', name: '_foreword.go.acme.example', value },
    http: { url: 'http://go.acme.example/.well-known/foreword-domain', value },
  },
  failure: null,
  created_at: '2026-03-10T23:36:01.112Z',
  verified_at: null,
  active_at: null,
  failing_since: null,
  checked_at: null,
  next_check_at: '2026-03-10T23:36:01.112Z',
  environment: 'test',
};

const ACTIVE: LinkDomain = {
  ...PENDING,
  state: 'active',
  verified_at: '2026-03-10T23:41:03.520Z',
  active_at: '2026-03-10T23:41:04.018Z',
  checked_at: '2026-03-11T09:11:05.301Z',
  next_check_at: '2026-03-11T09:16:05.301Z',
};

const FAILING: LinkDomain = {
  ...ACTIVE,
  state: 'failing',
  failure: { code: 'connection', message: 'The connection was refused.' },
  failing_since: '2026-03-11T09:16:06.443Z',
  checked_at: '2026-03-11T09:17:06.731Z',
  next_check_at: '2026-03-11T09:18:06.731Z',
};

export const LINK_DOMAIN_EXAMPLES = {
  createLinkDomain: {
    idempotencyKey: 'acme_crm:link_domain:go.acme.example',
    requests: { host: { summary: 'A short host', value: { host: 'go.acme.example' } } },
    responses: { created: { summary: 'The domain, with what to publish', value: PENDING } },
  },
  listLinkDomains: {
    responses: {
      page: { summary: 'One domain', value: { object: 'list', data: [ACTIVE], has_more: false } },
      empty: { summary: 'No domains', value: { object: 'list', data: [], has_more: false } },
    },
  },
  retrieveLinkDomain: {
    responses: {
      active: { summary: 'Active', value: ACTIVE },
      failing: { summary: 'Requests no longer reach the service', value: FAILING },
    },
  },
  checkLinkDomain: {
    idempotencyKey: 'acme_crm:link_domain:go.acme.example:check:1',
    requests: null,
    responses: { checking: { summary: 'It is being checked', value: PENDING } },
  },
  deleteLinkDomain: {
    idempotencyKey: 'acme_crm:link_domain:go.acme.example:delete',
    requests: null,
    responses: {
      deleted: { summary: 'Removed', value: { id: PENDING.id, object: 'link_domain', deleted: true } },
    },
  },
} satisfies Pick<
  Examples,
  'createLinkDomain' | 'listLinkDomains' | 'retrieveLinkDomain' | 'checkLinkDomain' | 'deleteLinkDomain'
>;
