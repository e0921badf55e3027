/** Intros, from the request until they are sent, cancelled or expired. */

export {
  createIntroCreator,
  createIntros,
  type Decided,
  type ErasedNumbers,
  type IntroCreator,
  type NumberOfTenant,
  withErasedOptOuts,
} from './creation.ts';
export {
  decideIntro,
  type EventInContext,
  type Failure,
  failure,
  isFailure,
  type NewIntroRow,
  valuesFor,
} from './decision.ts';
export { createDecline, type Decline, handOver } from './declining.ts';
export { EXPIRY_INTERVAL_MS, expireDue, expireNow, expireOnTestClock } from './expiry.ts';
export { CSV_COLUMNS, type IntroFields, type IntroWithMember, LISTED_FIELDS, toWire } from './fields.ts';
export { cancelManually, checkMoves, markSentManually } from './manual.ts';
export { type OpenIntroAction, settleOpenIntros } from './member-departure.ts';
export { introChange, introCreation, introOperations, requireIntro } from './operations.ts';
export { presentIntro, presentReply } from './present.ts';
export { createIntroEvents, type IntroEvent, type IntroEvents } from './publishing.ts';
export { createReassign, type Reassign, type ReassignedIntro } from './reassignment.ts';
export { type NewReply, storeAnswer, storeReply } from './replies.ts';
export {
  type Appointment,
  appointmentHint,
  completeReference,
  expiryOfReady,
  explainUnsent,
  mayNotBeTexted,
  noSuchIntro,
  readAppointment,
} from './rules.ts';
export { parseSearchTerms, phonePrefixes } from './search-terms.ts';
export { inContext, MESSAGES_DUE, writeIntros } from './store/creation.ts';
export { listOpenDeclines, type NewDecline } from './store/declines.ts';
export { readExportPages } from './store/export.ts';
export { closeOpenOf, lockShowing, takeDownSent } from './store/likeness.ts';
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
export { findSuccessor, listReassignments, type Successor } from './store/reassignment.ts';
export { listNewestReplies } from './store/replies.ts';
export { countByStatus, type IntroListRow, type IntroSearch, readListRows, searchIntros } from './store/search.ts';
export { readSortCursor, sortIntros } from './store/sorted.ts';
export {
  countByScript,
  countOutcomes,
  countWaitingIntros,
  listNextDue,
  listUnsent,
  type OutcomeCounts,
  type OutcomeStatistics,
  readMemberTimes,
  type ScriptOutcomes,
  type UnsentRow,
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
  markUnreachable,
  moveToReady,
  moveToSentByService,
  setDeliveryError,
} from './store/transitions.ts';
export { lockForViewing, markOpened, markOpenedByMember, markWatched } from './store/viewing.ts';
export {
  countWeeks,
  listLongestWaiting,
  type WeekCount,
  type WeekCounts,
} from './store/weekly-figures.ts';
export { findIntro, hasIntros } from './store.ts';
