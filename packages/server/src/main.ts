import { reuseCompiled } from './compile-cache.ts';

reuseCompiled();
// Only what is imported from here on comes out of the cache.
await import('./start.ts');
