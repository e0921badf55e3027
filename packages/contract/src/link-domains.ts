import { Environment, Id, Nullable, openEnum, Timestamp } from './fields.ts';
import { define, idParams, ListOf, listExample, PageQuery, returns } from './operation.ts';
import { LINK_DOMAIN_FAILURES, LINK_DOMAIN_STATES, MAX_LINK_DOMAINS } from './plain/index.ts';
import { Component, RequestComponent, type Static, Type } from './schema.ts';

const EXAMPLE_HOST = 'go.acme.example';
const EXAMPLE_VALUE = 'foreword-domain=4Zq8mVtQ2nXw7KpR5sLd9fHb';

export const LinkHost = Type.String({
  minLength: 1,
  maxLength: 253,
  'x-problem': 'must be a host name of at most 253 characters, such as go.acme.example',
  description:
    'The host name, without scheme, port and path. Names with other letters than a–z are stored in their ASCII form (`xn--…`).',
  examples: [EXAMPLE_HOST],
});

const CreateLinkDomain = RequestComponent('CreateLinkDomain', "The host of the organization's links.", {
  host: LinkHost,
});

const value = Type.String({ description: 'The content that it must have.' });

const LinkDomain = Component('LinkDomain', "A domain of the organization for recipients' links.", {
  id: Id('lkd', 'Identifier of the link domain.'),
  object: Type.Literal('link_domain'),
  host: Type.String({ description: 'The host name, in lower case and ASCII.' }),
  state: openEnum(
    'LinkDomainState',
    LINK_DOMAIN_STATES,
    '`pending`: not proven to be yours. `verified`: proven, but requests do not reach this service yet. `active`: new links ' +
      'use it. `failing`: requests no longer reach this service; after 10 minutes, new links use the address of the service.',
  ),
  points_to: Type.String({
    description: 'The host of the service. Create a CNAME record from your host to it, or to your own proxy.',
  }),
  verification: Component(
    'LinkDomainVerification',
    'Two ways to prove that the domain is yours. One of them is enough.',
    {
      dns: Component('LinkDomainRecord', 'A DNS record.', {
        type: Type.Literal('TXT'),
        name: Type.String({ description: 'Name of the record.' }),
        value,
      }),
      http: Component('LinkDomainFile', 'A file on the domain.', {
        url: Type.String({
          description: 'Address of the file.',
        }),
        value,
      }),
    },
  ),
  failure: Nullable(
    Component('LinkDomainFailure', 'Why the last check failed.', {
      code: openEnum('LinkDomainFailureCode', LINK_DOMAIN_FAILURES, 'The kind of problem. New codes may be added.'),
      message: Type.String({
        description: 'An explanation for people.',
      }),
    }),
    'Why the last check failed; null when it succeeded, and before the first one.',
  ),
  created_at: Timestamp('When the domain was added.'),
  verified_at: Nullable(Timestamp('When it was proven to be yours.')),
  active_at: Nullable(Timestamp('When it became active for the first time.')),
  failing_since: Nullable(Timestamp('When it started failing; null unless it is `failing`.')),
  checked_at: Nullable(Timestamp('When it was last checked.')),
  next_check_at: Nullable(Timestamp('When it is checked next; null when only on request.')),
  environment: Environment,
});

const DeletedLinkDomain = Component('DeletedLinkDomain', 'Confirms that a link domain was removed.', {
  id: Id('lkd', 'Identifier of the removed link domain.'),
  object: Type.Literal('link_domain'),
  deleted: Type.Literal(true),
});

export type CreateLinkDomain = Static<typeof CreateLinkDomain>;
export type LinkDomain = Static<typeof LinkDomain>;

const linkDomainExample: LinkDomain = {
  id: 'lkd_01kkczv7mrw00qyd5rz5ce7eex',
  object: 'link_domain',
  host: EXAMPLE_HOST,
  state: 'pending',
  points_to: 'intros.example.com',
  verification: {
    dns: { type: 'TXT', name: `_foreword.${EXAMPLE_HOST}`, value: EXAMPLE_VALUE },
    http: { url: `http://${EXAMPLE_HOST}/.well-known/foreword-domain`, value: EXAMPLE_VALUE },
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

const DOMAIN_ID = idParams('The link domain identifier.', linkDomainExample);

export const LINK_DOMAIN_OPERATIONS = define('Link domains', {
  createLinkDomain: {
    route: 'POST /v1/link-domains',
    role: 'owner',
    agentGroup: 'link_domains',
    summary: 'Add a link domain',
    isClosedToAgents: true,
    description:
      "Adds a host for recipients' links, such as `https://go.acme.example/4Zq8mVtQ2n` instead of the address of the service. " +
      'Publish the DNS record or the file in `verification`, and point the host to this service. Both are checked automatically, ' +
      'and then the state becomes `active`. Intros whose video becomes ready from then on get links with this host; if several ' +
      `domains are active, the latest one is used. An organization can have up to ${MAX_LINK_DOMAINS} domains.`,
    body: { kind: 'required', schema: CreateLinkDomain, examples: { 'A short host': { host: EXAMPLE_HOST } } },
    success: returns(201, LinkDomain, 'The domain, with what to publish.', linkDomainExample),
    errors: ['link_domain_exists', 'link_domain_limit'],
  },
  listLinkDomains: {
    route: 'GET /v1/link-domains',
    role: 'owner',
    agentGroup: 'link_domains',
    summary: 'List link domains',
    description: 'Newest first.',
    query: PageQuery,
    success: returns(200, ListOf(LinkDomain), 'One page of link domains.', listExample(linkDomainExample)),
  },
  retrieveLinkDomain: {
    route: 'GET /v1/link-domains/{id}',
    agentGroup: 'link_domains',
    summary: 'Retrieve a link domain',
    description: 'Returns a link domain with the result of its last check.',
    params: DOMAIN_ID,
    success: returns(200, LinkDomain, 'The link domain.', linkDomainExample),
  },
  checkLinkDomain: {
    route: 'POST /v1/link-domains/{id}/check',
    role: 'owner',
    agentGroup: 'link_domains',
    summary: 'Check a link domain now',
    isClosedToAgents: true,
    description:
      'Checks the domain within a few seconds, instead of at `next_check_at`. The result is in the domain once `checked_at` has ' +
      'changed. A domain is checked at most every 5 seconds.',
    params: DOMAIN_ID,
    success: returns(202, LinkDomain, 'The domain, before the check.', linkDomainExample),
  },
  deleteLinkDomain: {
    route: 'DELETE /v1/link-domains/{id}',
    role: 'owner',
    agentGroup: 'link_domains',
    summary: 'Remove a link domain',
    isClosedToAgents: true,
    description:
      'New links use another domain or the address of the service. Links that were sent keep working for as long as the domain ' +
      'leads to this service and no other organization here has verified it.',
    params: DOMAIN_ID,
    success: returns(200, DeletedLinkDomain, 'The link domain was removed.', {
      id: linkDomainExample.id,
      object: 'link_domain',
      deleted: true,
    }),
  },
});
