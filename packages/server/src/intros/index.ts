/** Intros, from the request until they are sent, cancelled or expired. */

export * from './creation.ts';
export {
  decideIntro,
  type EventInContext,
  type Failure,
  failure,
  isFailure,
  type NewIntroRow,
  valuesFor,
} from './decision.ts';
export {
  CSV_COLUMNS,
  type IntroFields,
  type IntroWithMember,
  LISTED_FIELDS,
  readDeliveryStatus,
} from './fields.ts';
export { introChange, introCreation, introOperations, requireIntro } from './operations.ts';
export {
  createIntroEvents,
  type IntroEvent,
  type IntroEvents,
  presentIntro,
  presentReply,
  wordsOfReply,
} from './present.ts';
export {
  type Appointment,
  appointmentHint,
  completeReference,
  expiryOfReady,
  explainNotCorrected,
  explainNotRequested,
  explainUnsent,
  mayNotBeTexted,
  noSuchIntro,
  PRACTICE_SOURCE,
  readAppointment,
} from './rules.ts';
export {
  cancelManually,
  checkMoves,
  createDecline,
  createReassign,
  type Decline,
  EXPIRY_INTERVAL_MS,
  expireDue,
  expireNow,
  expireOnTestClock,
  handOver,
  markSentManually,
  type NewReply,
  type Reassign,
  settleOpenIntros,
  storeAnswer,
  storeReply,
} from './service.ts';
export { inContext, MESSAGES_DUE, notificationIdOf, writeIntros } from './store/creation.ts';
export { problemsSince, readExportPages } from './store/lists.ts';
export {
  closeOpenOf,
  countOpenByMember,
  countPagesByMember,
  findMemberIntro,
  listNewestByMember,
  listOpenByMember,
  listToRecord,
  lockShowing,
  type ToRecordRow,
  takeDownSent,
} from './store/members.ts';
export {
  findSuccessor,
  type NewDecline,
  type ReassignedIntro,
  type Successor,
} from './store/reassignment.ts';
export {
  lockForViewing,
  markClicked,
  markOpened,
  markOpenedByMember,
  markWatched,
  settleReplies,
} from './store/replies.ts';
export {
  countOpen,
  type IntroListRow,
  type IntroSearch,
  parseSearchTerms,
  phoneTerms,
  readListRows,
  readSortCursor,
  searchIntros,
  sortIntros,
} from './store/search.ts';
export * from './store/statistics.ts';
export {
  cancelOpen,
  correctPhones,
  countOpenBesides,
  lockOfRecipient,
  markUnreachable,
  moveToReady,
  moveToSentByService,
  setDeliveryError,
} from './store/transitions.ts';
export { findIntro, hasIntros } from './store.ts';
