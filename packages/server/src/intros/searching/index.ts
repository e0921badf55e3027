export { phonesOf, readClues } from './rules.ts';
export { countByStatus, type IntroInList, type IntroSearch, readForList, searchIntros } from './store.ts';
