import fs from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '../../../..');

export const LANGUAGES = ['sh', 'ts', 'json', 'text'] as const;

export interface Block {
  /** The page and the line of the fence, such as `docs/guides/webhooks.md:10`. */
  readonly at: string;
  readonly language: string;
  readonly code: string;
  /** From a comment above the block: `<!-- not run: REASON -->`. */
  readonly notRun: string | undefined;
  /** From a comment above the block: `<!-- json: SCHEMA -->`, the name of a schema of openapi.json. */
  readonly schema: string | undefined;
}

export interface Page {
  readonly file: string;
  readonly blocks: readonly Block[];
}

const FOLDERS = ['docs/guides', 'docs/concepts', 'docs/recipes'];
const FILES = ['README.md', 'packages/sdk/README.md'];
/** Pages whose blocks another suite runs. */
const ELSEWHERE = [
  // Needs 376 MB of programs: `npx vitest run --project tools`.
  'docs/guides/tools.md',
];

const BLOCK = /(?:<!-- (not run|json): ([^\n]+?) -->\n+)?^([ ]*)```([^\n]*)\n(.*?)^\3```$/gms;

function readPage(file: string): Page {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
  const blocks = [...text.matchAll(BLOCK)].map(
    ({ 0: whole, 1: kind, 2: note, 3: indent = '', 4: language = '', 5: code = '', index }) => {
      const line = text.slice(0, index + whole.indexOf('```')).split('\n').length;
      return {
        at: `${file}:${line}`,
        language,
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        notRun: kind === 'not run' ? note : undefined,
        schema: kind === 'json' ? note : undefined,
      };
    },
  );
  return { file, blocks };
}

/** Every page whose blocks must run, in the order of their names. */
export function readPages(): Page[] {
  const inFolders = FOLDERS.filter((folder) => fs.existsSync(path.join(ROOT, folder))).flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  return [...inFolders, ...FILES].filter((file) => !ELSEWHERE.includes(file)).map(readPage);
}
