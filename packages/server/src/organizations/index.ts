export { brandColors, contrastBetween, DEFAULT_ACCENT, type Shades } from './brand.ts';
export { createOrganization, testTenant } from './service.ts';
export { findOrganization, listOrganizations, updateOrganization } from './store.ts';
