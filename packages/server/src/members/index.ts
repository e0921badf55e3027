export { applyImport, previewImport } from './import/service.ts';
export { explainMismatch, toSelector } from './rules.ts';
export { createMember, ExternalIdTakenError, listAllMembers, listMembers, presentMember } from './service.ts';
export {
  countDirectory,
  type DirectoryFilter,
  type DirectoryRow,
  findInDirectory,
  searchDirectory,
} from './store/search.ts';
export {
  countActive,
  countSharedEmails,
  findLongestName,
  listNames,
  listNeverRecorded,
  listSharedEmails,
  listSlowest,
  type Pace,
} from './store/statistics.ts';
export {
  deactivateAnyMember,
  findActiveByEmail,
  findAnotherOwner,
  findAnyMember,
  findByExternalId,
  findMember,
  lockTeam,
  type MemberChange,
  RESOLVE_MEMBER,
  updateMember,
} from './store.ts';
export {
  addMember,
  changeMember,
  deactivateMember,
  memberNotFound,
  type NewTeamMember,
  reactivateMember,
  replacePages,
  requireMember,
  restorePages,
  type TeamEditor,
} from './team.ts';
