/** Hosts of organizations for recipients' links: proof, checks and removal. */

export { startDomainChecks } from './checking.ts';
export { type LinkHosts, watchLinkHosts } from './hosts.ts';
export { linkDomainOperations } from './operations.ts';
export { registerLinkDomainRoutes } from './routes.ts';
export { findCurrentHost, listFailingDomains } from './store.ts';
