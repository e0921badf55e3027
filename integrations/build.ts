/** Folder: services that connect a CRM or a carrier of texts, each built into one file. */

import fs from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';

// Bundles each recipe, and the reference carrier of texts, into one file, `integrations/dist/NAME.mjs`, for any machine with Node 20 or newer.

const HERE = import.meta.dirname;
const NOT_RECIPES = new Set(['bridge', 'dist', 'test']);

/** The folders that contain a recipe. */
export const listRecipes = (): string[] =>
  fs
    .readdirSync(HERE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_RECIPES.has(entry.name))
    .map(({ name }) => name)
    .filter((name) => fs.existsSync(path.join(HERE, name, 'main.ts')));

/** The comments at the top of the mapping. Bundling removes them, and they explain what to edit. The carrier has no mapping. */
function readHead(name: string): string {
  const mapping = path.join(HERE, name, 'mapping.ts');
  const head = fs.existsSync(mapping) ? mapping : path.join(HERE, name, 'main.ts');
  const lines = fs.readFileSync(head, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return [...lines.slice(0, end), '// Built from integrations/ of Foreword (Apache-2.0).'].join('\n');
}

export async function buildRecipe(name: string): Promise<string> {
  const file = path.join(HERE, 'dist', `${name}.mjs`);
  await build({
    input: path.join(HERE, name, 'main.ts'),
    platform: 'node',
    external: /^node:/,
    // TypeScript in a workspace is code of this repository, not of a package.
    resolve: { conditionNames: ['import', 'default'] },
    output: { file, format: 'esm', minify: false, banner: readHead(name), codeSplitting: false },
    logLevel: 'warn',
  });
  return file;
}

export async function buildRecipes(): Promise<void> {
  for (const name of listRecipes()) {
    const file = await buildRecipe(name);
    process.stdout.write(`${path.relative(process.cwd(), file)}  ${Math.ceil(fs.statSync(file).size / 1024)} KB\n`);
  }
}

if (import.meta.main) await buildRecipes();
