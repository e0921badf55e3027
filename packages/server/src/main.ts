import { enableCompileCache } from './compile-cache.ts';

enableCompileCache();
// Imported dynamically: the cache only applies to modules imported after this point.
await import('./start.ts');
