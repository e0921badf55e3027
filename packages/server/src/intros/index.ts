export { cancelByHand, judgeMoves, markSentByHand } from './by-hand.ts';
export { createIntroCreator, type IntroCreator } from './creation.ts';
export { moveToSentByService, noteDeliveryError, openByMember } from './delivering.ts';
export { readAppointment, toRow, wholeReference } from './drafts.ts';
export { type ExportRow, readForExport } from './exporting.ts';
export {
  type Counted,
  countOutcomes,
  countWaitingIntros,
  type Figures,
  hasIntros,
  listOldestWaiting,
  timeMembers,
} from './figures.ts';
export { MESSAGES_DUE } from './first-word.ts';
export { findOfMember, listRecorded, listToRecord, type RecordedRow, type ToRecordRow } from './for-home.ts';
export { EXPIRY_INTERVAL_MS, expireDue } from './jobs.ts';
export { type Parting, settleOpenIntros } from './leaving.ts';
export { createIntroNews, type IntroNews, type IntroStep } from './news.ts';
export {
  countOpenOfMember,
  countPagesOfMember,
  type IntroOfMemberRow,
  listOpenOfMember,
  listRecentOfMember,
} from './of-member.ts';
export { countOpenByTouchpoint, findLongestRecipient, listNewestPeople, type PeopleOfIntro } from './of-touchpoint.ts';
export { presentIntro } from './present.ts';
export { listReassignments, reassign } from './reassigning.ts';
export { type Appointment, expiryOf, expiryOfReady, type IntroDraft } from './rules.ts';
export {
  countByStatus,
  type IntroInList,
  type IntroSearch,
  phonesOf,
  readClues,
  readForList,
  searchIntros,
} from './searching/index.ts';
export { createIntroService, type IntroService } from './service.ts';
export {
  findIntro,
  findIntroOfAny,
  type IntroWithMember,
  insertIntros,
  moveToReady,
  type NewIntroRow,
  requireIntro,
} from './store.ts';
export { lockViewing, openByRecipient, watchByRecipient } from './viewing.ts';
