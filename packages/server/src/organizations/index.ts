/** Organizations and their brand. */

export {
  brandColors,
  changeBrand,
  createOrganization,
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
