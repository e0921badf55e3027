import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';

/**
 * Caches compiled TypeScript, which saves an eighth of a start's CPU time. `npm start` names the same folder in
 * NODE_COMPILE_CACHE, so that this file is cached as well. The cache is in node_modules, not in the temporary folder, where other
 * users could plant code. Node ignores a cache that it cannot write.
 */
export function enableCompileCache(): void {
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const packages = path.join(folder, 'node_modules');
    if (!fs.existsSync(path.join(packages, '.bin'))) continue;
    module.enableCompileCache(path.join(packages, '.cache/foreword'));
    return;
  }
}
