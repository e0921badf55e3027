/** Removes data after the period that each organization chose. */

export {
  changeRetention,
  listDays,
  previewRetention,
  type Retention,
  readDays,
  readRetention,
  startRetention,
  sweepRetention,
} from './service.ts';
