export { createIntroCreator, type IntroCreator } from './creation.ts';
export { moveToSentByService, noteDeliveryError, openByMember } from './delivering.ts';
export { readAppointment, toRow, wholeReference } from './drafts.ts';
export { MESSAGES_DUE } from './first-word.ts';
export { EXPIRY_INTERVAL_MS, expireDue } from './jobs.ts';
export { createIntroNews, type IntroNews, type IntroStep } from './news.ts';
export { presentIntro } from './present.ts';
export type { Appointment, IntroDraft } from './rules.ts';
export { createIntroService, type IntroService } from './service.ts';
export {
  findIntroOfAny,
  type IntroWithMember,
  insertIntros,
  moveToReady,
  type NewIntroRow,
  requireIntro,
} from './store.ts';
export { lockViewing, openByRecipient, watchByRecipient } from './viewing.ts';
