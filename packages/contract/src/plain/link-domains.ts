/** The states of a link domain. New links use it while it is `active`, and for the first minutes in which it is `failing`. */
export const LINK_DOMAIN_STATES = ['pending', 'verified', 'active', 'failing'] as const;
export type LinkDomainState = (typeof LINK_DOMAIN_STATES)[number];

/** Why the last check of a link domain failed. */
export const LINK_DOMAIN_FAILURES = [
  'record_missing',
  'taken',
  'name',
  'address',
  'connection',
  'certificate',
  'timeout',
  'wrong_server',
] as const;
export type LinkDomainFailureCode = (typeof LINK_DOMAIN_FAILURES)[number];

export const MAX_LINK_DOMAINS = 5;
