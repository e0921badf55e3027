/** The consent of members to the use of their likeness, and what a withdrawal removes. */

export {
  consentByRecording,
  giveConsent,
  presentLikeness,
  REMOVAL_INTERVAL_MS,
  REOPEN_INTERVAL_MS,
  removeWithdrawn,
  reopenWithdrawn,
  withdrawConsent,
} from './service.ts';
export { findRemoval, listConsents } from './store.ts';
export { currentConsentText, readShownConsent } from './texts.ts';
