/** Organizations and their brand. */

export * from './service.ts';
export {
  dismissSetup,
  findOrganization,
  listOrganizations,
  lockOrganizations,
  setAuditDays,
  setSecondFactorFrom,
} from './store.ts';
