/** Removes data after the period that each organization chose. */

export {
  changeRetention,
  listDays,
  previewRetention,
  type Retention,
  readDays,
  readRetention,
} from './settings.ts';
export { startRetention, sweepRetention } from './sweep.ts';
export { OTHER_RETENTION, TABLE_RETENTION } from './tables.ts';
