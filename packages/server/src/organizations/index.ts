export { brandColors, contrastBetween, DEFAULT_ACCENT, pickBrand, type Shades } from './brand.ts';
export { createOrganization, testTenant } from './service.ts';
export {
  findOrganization,
  listOrganizations,
  lockOrganizations,
  setSecondFactorFrom,
  updateOrganization,
} from './store.ts';
