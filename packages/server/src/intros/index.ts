export { createIntroCreator, type IntroCreator } from './creation.ts';
export { readAppointment, toRow, wholeReference } from './drafts.ts';
export { EXPIRY_INTERVAL_MS, expireDue } from './jobs.ts';
export type { IntroDraft } from './rules.ts';
export { createIntroService, type IntroService } from './service.ts';
export { insertIntros, type NewIntroRow } from './store.ts';
