import fs from 'node:fs';
import module from 'node:module';
import path from 'node:path';

/**
 * What was read from TypeScript once serves every later start: half of a start's processor time goes into that. Kept beside
 * the packages and not in the temporary folder, where anybody could leave code for us to run. Where it cannot be written,
 * Node goes without.
 */
export function reuseCompiled(): void {
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const packages = path.join(folder, 'node_modules');
    if (!fs.existsSync(path.join(packages, '.bin'))) continue;
    module.enableCompileCache(path.join(packages, '.cache/foreword'));
    return;
  }
}
