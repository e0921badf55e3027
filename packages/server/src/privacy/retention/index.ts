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
