/** The consent of members to the use of their likeness, and what a withdrawal removes. */

export { presentLikeness } from './present.ts';
export { REMOVAL_INTERVAL_MS, REOPEN_INTERVAL_MS, removeWithdrawn, reopenWithdrawn } from './removal.ts';
export { consentByRecording, giveConsent, withdrawConsent } from './service.ts';
export { findRemoval, listConsents } from './store.ts';
export { currentConsentText, readShownConsent } from './texts.ts';
