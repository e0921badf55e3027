/** The people who record: rules, changes and lookup. */

export { applyImport, previewImport } from './import/service.ts';
export { bouncedSince, explainMismatch, toSelector } from './rules.ts';
export {
  createMember,
  ExternalIdTakenError,
  listAllMembers,
  listMembers,
  type NewTeamMember,
  presentMember,
} from './service.ts';
export { isBounced, listBounced, markBounced } from './store/bounces.ts';
export { listColleagues } from './store/colleagues.ts';
export { clearPhoto, endLikeness, lockLikeness, restoreLikeness } from './store/likeness.ts';
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
