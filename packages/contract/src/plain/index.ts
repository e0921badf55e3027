/** Constants and pure functions for servers and browsers alike. Nothing here imports TypeBox, to keep browser bundles small. */
export * from './limits.ts';
export * from './rules.ts';
export * from './values.ts';
