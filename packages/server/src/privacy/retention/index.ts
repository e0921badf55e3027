/** Removes data after the period that each organization chose. */

export * from './service.ts';
