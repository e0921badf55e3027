export { countActive, listNames, listNeverRecorded, listSharedEmails } from './attention.ts';
export {
  addMember,
  changeMember,
  leaveTeam,
  type NewTeamMember,
  noMember,
  rejoinTeam,
  replacePages,
  requireMember,
  restorePages,
  type TeamEditor,
} from './changing.ts';
export {
  countDirectory,
  countSharedEmails,
  type DirectoryFilter,
  type DirectoryRow,
  findInDirectory,
  searchDirectory,
} from './directory.ts';
export { applyImport, previewImport } from './import/service.ts';
export { findLongestName, listSlowest, type Pace } from './pace.ts';
export { presentMember } from './present.ts';
export { explainMismatch, lanesOf, toSelector } from './rules.ts';
export { createMember, ExternalIdTakenError, listAllMembers, listMembers } from './service.ts';
export {
  deactivateMember,
  findActiveByEmail,
  findMember,
  findMemberOfAny,
  type MemberChange,
  RESOLVE_MEMBER,
  updateMember,
} from './store.ts';
