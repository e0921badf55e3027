/** Hosts of organizations for recipients' links: proof, checks and removal. */

export { startDomainChecks } from './checking.ts';
export { type LinkHosts, registerLinkDomainRoutes, watchLinkHosts } from './hosts.ts';
export { linkDomainOperations } from './service.ts';
export { findCurrentHost, listFailingDomains } from './store.ts';
