/** The people who record: rules, changes and lookup. */

export { applyImport, previewImport } from './import/service.ts';
export { bouncedSince, explainMismatch, toSelector } from './rules.ts';
export { createMember, listAllMembers, listMembers, type NewTeamMember, presentMember } from './service.ts';
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
  clearPhoto,
  endLikeness,
  findActiveByEmail,
  findAnotherOwner,
  findByExternalId,
  findMember,
  isBounced,
  listBounced,
  listColleagues,
  lockLikeness,
  lockTeam,
  type MemberChange,
  markBounced,
  RESOLVE_MEMBER,
  restoreLikeness,
  updateMember,
} from './store.ts';
export {
  addMember,
  changeMember,
  confirmEmail,
  deactivateMember,
  memberNotFound,
  reactivateMember,
  recordMemberChange,
  refusePhoto,
  replacePages,
  requireMember,
  restorePages,
  type TeamEditor,
  turnSummaryOff,
} from './team.ts';
