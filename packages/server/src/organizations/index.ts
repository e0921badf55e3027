/** Organizations and their brand. */

export {
  brandColors,
  changeBrand,
  contrastBetween,
  createOrganization,
  DEFAULT_ACCENT,
  pickBrand,
  type Shades,
  testTenant,
} from './service.ts';
export {
  dismissSetup,
  findOrganization,
  listOrganizations,
  lockOrganizations,
  setAuditDays,
  setSecondFactorFrom,
} from './store.ts';
