export { createIntroCreator, type IntroCreator } from './creation.ts';
export { markOpenedByMember, moveToSentByService, setDeliveryError } from './delivering.ts';
export { completeReference, readAppointment, toRow } from './drafts.ts';
export { type ExportRow, readExportPages } from './exporting.ts';
export {
  countOutcomes,
  countWaitingIntros,
  hasIntros,
  listOldestWaiting,
  type OutcomeCounts,
  type OutcomeStatistics,
  readMemberTimes,
} from './figures.ts';
export { MESSAGES_DUE } from './first-word.ts';
export { findMemberIntro, listRecorded, listToRecord, type RecordedRow, type ToRecordRow } from './for-home.ts';
export { EXPIRY_INTERVAL_MS, expireDue } from './jobs.ts';
export { type OpenIntroAction, settleOpenIntros } from './leaving.ts';
export { cancelManually, checkMoves, markSentManually } from './manual.ts';
export {
  countOpenByMember,
  countPagesByMember,
  listOpenByMember,
  listRecentByMember,
  type MemberIntroRow,
} from './of-member.ts';
export { countOpenByTouchpoint, findLongestRecipient, type IntroPeople, listNewestPeople } from './of-touchpoint.ts';
export { presentIntro } from './present.ts';
export { createIntroEvents, type IntroEvent, type IntroEvents } from './publishing.ts';
export { listReassignments, reassign } from './reassigning.ts';
export { type Appointment, expiryOf, expiryOfReady, type IntroDraft } from './rules.ts';
export {
  countByStatus,
  type IntroListRow,
  type IntroSearch,
  parseSearchTerms,
  phonePrefixes,
  readListRows,
  searchIntros,
} from './searching/index.ts';
export { createIntroService, type IntroService } from './service.ts';
export {
  findIntro,
  findIntroAcrossTenants,
  type IntroWithMember,
  insertIntros,
  moveToReady,
  type NewIntroRow,
  requireIntro,
} from './store.ts';
export { lockForViewing, markOpened, markWatched } from './viewing.ts';
