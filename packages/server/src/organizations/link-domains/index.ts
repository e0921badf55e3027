/** Hosts of organizations for recipients' links: proof, checks and removal. */

export { startDomainChecks } from './checking.ts';
export { type LinkHosts, linkDomainOperations, registerLinkDomainRoutes, watchLinkHosts } from './service.ts';
export { findCurrentHost, listFailingDomains } from './store.ts';
