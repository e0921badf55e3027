/** The people who record: rules, changes and lookup. */

export { applyImport, previewImport } from './import/plan.ts';
export { bouncedSince, explainMismatch, toSelector } from './rules.ts';
export {
  addMember,
  changeMember,
  confirmEmail,
  createMember,
  deactivateMember,
  listAllMembers,
  listMembers,
  memberNotFound,
  type NewTeamMember,
  presentMember,
  reactivateMember,
  recordMemberChange,
  replacePages,
  requireMember,
  restorePages,
  type TeamEditor,
  turnSummaryOff,
} from './service.ts';
export * from './store/statistics.ts';
export {
  clearPhoto,
  countDirectory,
  type DirectoryFilter,
  type DirectoryRow,
  endLikeness,
  findActiveByEmail,
  findAnotherOwner,
  findByExternalId,
  findInDirectory,
  findMember,
  isBounced,
  listBounced,
  listColleagues,
  lockLikeness,
  lockPhoto,
  lockTeam,
  type MemberChange,
  markBounced,
  RESOLVE_MEMBER,
  restoreLikeness,
  searchDirectory,
  updateMember,
} from './store.ts';
