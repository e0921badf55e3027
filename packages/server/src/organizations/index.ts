export { brandColors, contrastBetween, DEFAULT_ACCENT, type Shades } from './brand.ts';
export { pickBrand } from './present.ts';
export { createOrganization, testTenant } from './service.ts';
export { findOrganization, listOrganizations, lockOrganizations, updateOrganization } from './store.ts';
