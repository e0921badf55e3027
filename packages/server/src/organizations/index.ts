export { createOrganization, type NewOrganization, testTenant } from './service.ts';
export { findOrganization, listOrganizations } from './store.ts';
