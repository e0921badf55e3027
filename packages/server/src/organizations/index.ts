/** Organizations and their brand. */

export { brandColors, contrastBetween, DEFAULT_ACCENT, pickBrand, type Shades } from './brand.ts';
export { changeBrand, createOrganization, testTenant } from './service.ts';
export {
  dismissSetup,
  findOrganization,
  listOrganizations,
  lockOrganizations,
  setAuditDays,
  setSecondFactorFrom,
} from './store.ts';
