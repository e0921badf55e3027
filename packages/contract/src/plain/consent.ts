/** How a recipient's decision about texts was received. `team`: in the console; `operator`: with the command. */
export const CONSENT_SOURCES = ['text', 'page', 'carrier', 'api', 'team', 'operator', 'import'] as const;
export type ConsentSource = (typeof CONSENT_SOURCES)[number];

/** Lines of a file of opt-outs. Each is a few statements of one request. */
export const CONSENT_IMPORT_MAX_LINES = 2_000;
/** Who asked, and how: "Dana, on the phone". */
export const CONSENT_REASON_MAX_LENGTH = 500;
