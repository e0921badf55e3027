/** Hosts of organizations for recipients' links: proof, checks and removal. */

export { startDomainChecks } from './checking.ts';
export { type LinkHosts, watchLinkHosts } from './hosts.ts';
export { linkDomainOperations } from './operations.ts';
export { presentDomain } from './present.ts';
export { registerLinkDomainRoutes } from './routes.ts';
export { addDomain, removeDomain, requestCheck } from './service.ts';
export { findCurrentHost, findDomainAcrossTenants, listDomains, listFailingDomains } from './store.ts';
