import { ACTIVITY } from '../../texts/activity.ts';

/** "first_name" → "first name" */
export const fieldNames = (fields: readonly string[]): string =>
  fields.map((name) => ACTIVITY.fieldNames[name] ?? name.replaceAll('_', ' ')).join(', ');
