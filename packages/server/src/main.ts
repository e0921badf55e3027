import { enableCompileCache } from './compile-cache.ts';

// For the npm package, whose JavaScript has source maps.
process.setSourceMapsEnabled(true);
enableCompileCache();
// Imported dynamically: the cache only applies to modules imported after this point.
await import('./start.ts');
