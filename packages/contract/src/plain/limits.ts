/** Lengths count code points. */
export const NAME_MAX_LENGTH = 100;
export const SLUG_MAX_LENGTH = 64;
/** The rendered line above the video. */
export const TITLE_MAX_LENGTH = 120;
/** The rendered script. */
export const SCRIPT_MAX_LENGTH = 1000;
/** Four GSM-7 segments with the link. Longer texts are not read, and carriers charge for each segment. */
export const TEXT_MAX_LENGTH = 500;
/** A template before rendering. */
export const TEMPLATE_SOURCE_MAX = 4000;
export const ACTION_LABEL_MAX = 60;
/** Neither the API nor the console pages the list of touchpoints. */
export const TOUCHPOINTS_MAX = 200;

/** Logos and photos. */
export const PICTURE_MAX_BYTES = 10_000_000;
export const IMPORT_MAX_LINES = 10_000;
export const IMPORT_MAX_CHARACTERS = 3_000_000;

/** Words per minute: what the teleprompter offers and starts with. */
export const PACE = { slowest: 60, fastest: 220, usual: 150, step: 10 } as const;
/** The console counts intros up to this limit, then shows "1,000+". */
export const COUNT_LIMIT = 1_000;
/** Periods that the overview offers. */
export const OVERVIEW_DAYS = [7, 30, 90] as const;
