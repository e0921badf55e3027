export { createIntroCreator, type IntroCreator } from './creation.ts';
export { completeReference, readAppointment, toRow } from './drafts.ts';
export { EXPIRY_INTERVAL_MS, expireDue, expireNow, expireOnTestClock } from './expiry.ts';
export { cancelManually, checkMoves, markSentManually } from './manual.ts';
export { type OpenIntroAction, settleOpenIntros } from './member-departure.ts';
export { presentIntro } from './present.ts';
export { createIntroEvents, type IntroEvent, type IntroEvents } from './publishing.ts';
export { createReassign, type Reassign, type ReassignedIntro } from './reassignment.ts';
export { type Appointment, expiryOf, expiryOfReady, explainUnsent, type IntroDraft, noSuchIntro } from './rules.ts';
export { parseSearchTerms, phonePrefixes } from './search-terms.ts';
export { createIntroService, type IntroService } from './service.ts';
export { insertIntros, MESSAGES_DUE, type NewIntroRow } from './store/creation.ts';
export { type ExportRow, readExportPages } from './store/export.ts';
export {
  countOpenByMember,
  countPagesByMember,
  listOpenByMember,
  listRecentByMember,
  type MemberIntroRow,
} from './store/member-intros.ts';
export {
  findMemberIntro,
  listRecorded,
  listToRecord,
  type RecordedRow,
  type ToRecordRow,
} from './store/member-tasks.ts';
export { listReassignments } from './store/reassignment.ts';
export { countByStatus, type IntroListRow, type IntroSearch, readListRows, searchIntros } from './store/search.ts';
export {
  countOutcomes,
  countWaitingIntros,
  listOldestWaiting,
  type OutcomeCounts,
  type OutcomeStatistics,
  readMemberTimes,
} from './store/statistics.ts';
export {
  countOpenByTouchpoint,
  findLongestRecipient,
  type IntroPeople,
  listNewestPeople,
} from './store/touchpoint-usage.ts';
export {
  cancelAllOpen,
  countOpenBesides,
  moveToReady,
  moveToSentByService,
  setDeliveryError,
} from './store/transitions.ts';
export { lockForViewing, markOpened, markOpenedByMember, markWatched } from './store/viewing.ts';
export { findIntro, findIntroAcrossTenants, hasIntros, type IntroWithMember, requireIntro } from './store.ts';
export { createWaitForIntro, type WaitForIntro } from './waiting.ts';
