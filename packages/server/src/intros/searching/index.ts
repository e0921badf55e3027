export { parseSearchTerms, phonePrefixes } from './rules.ts';
export { countByStatus, type IntroListRow, type IntroSearch, readListRows, searchIntros } from './store.ts';
