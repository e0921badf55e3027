/** The consent of members to the use of their likeness, and what a withdrawal removes. */

export * from './service.ts';
export { findRemoval, listConsents } from './store.ts';
export { currentConsentText, readShownConsent } from './texts.ts';
