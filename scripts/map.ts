/** Folder: generates, checks and releases what the repository contains. */

import fs from 'node:fs';
import path from 'node:path';

const CODE = [
  'packages/*/src/**/*.{ts,tsx}',
  'packages/web/**/*.{ts,tsx}',
  '{scripts,bench}/*.ts',
  'integrations/{,*/}*.ts',
];
const SKIPPED = /(^|\/)(node_modules|dist|test|generated)(\/|$)/;

/** Folders without code, and folders whose files are generated or have no common main file. */
const OTHERS: Record<string, string> = {
  'deploy/caddy': 'Caddy in front of the service, also for link domains.',
  'deploy/cluster': 'PostgreSQL with failover, and the proxies around it.',
  'deploy/helm': 'A chart for Kubernetes.',
  'deploy/image': "Builds the image with Debian's buildah.",
  'deploy/nginx': 'nginx in front of the service, of link domains and of several installations.',
  'deploy/observability': 'Prometheus: rules and a dashboard, generated.',
  'deploy/systemd': 'Runs the npm package and its backups as system services.',
  'docs/concepts': 'What touchpoints, lanes, states and deadlines are.',
  'docs/decisions': 'What a change must not undo by accident, and why.',
  'docs/guides': 'How to integrate.',
  'docs/pictures': 'Screenshots, taken by `npm run gen -- pictures`.',
  'docs/recipes': 'One page for each CRM.',
  'docs/self-hosting': 'How to install, configure and run the service.',
  'docs/site': 'Builds the docs site from the Markdown files.',
  'integrations/n8n-nodes-foreword': 'Nodes for n8n: a package of its own, with its own lock file.',
  'packages/*/test': 'Tests. `server/test/acceptance` uses HTTP and the command only.',
  'packages/server/bin': 'The `foreword` command, and the check of Node in `npm start`.',
  'packages/server/migrations': 'The schema, forward only.',
  'packages/sdk/src/generated': 'Types and numbering plans, written by `npm run gen`.',
};

/** The page is written by hand up to here. */
const START = "<!-- Generated from the first comment of each folder's main file by `npm run gen`. -->\n";

export class MissingPurpose extends Error {}

/** The first sentence of the comment at the top of a file. An empty line separates it from the code. */
function readPurpose(text: string): string | undefined {
  const comment = /^(?:\/\*\*([\s\S]*?)\*\/\n|((?:\/\/.*\n)+))\n/.exec(text);
  const words = (comment?.[1] ?? comment?.[2])?.replace(/^ *(\/\/|\*)/gm, '').replace(/\s+/g, ' ');
  return words === undefined ? undefined : /^.*?\.(?= |$)/.exec(words.trim())?.[0];
}

/**
 * The main file of a folder is its index or main, or the file with the folder's name, in the folder or beside it. A folder
 * without one is described by the file whose comment starts with "Folder:".
 */
function describeFolder(root: string, folder: string, files: readonly string[]): string {
  const read = (file: string) => readPurpose(fs.readFileSync(path.join(root, file), 'utf8'));
  const main = [`${folder}/index`, `${folder}/main`, `${folder}/${path.basename(folder)}`, folder]
    .flatMap((file) => [`${file}.ts`, `${file}.tsx`])
    .find((file) => fs.existsSync(path.join(root, file)));
  const purpose = main === undefined ? files.map(read).find((text) => text?.startsWith('Folder: ')) : read(main);
  if (purpose === undefined)
    throw new MissingPurpose(
      `${main ?? `A file of ${folder}/`} needs a first comment that says what the folder is for; without a main file, "Folder: …".`,
    );
  return purpose.replace(/^Folder: ./, (start) => start.slice(-1).toUpperCase());
}

/** The map as a page, with a line for each folder. */
export function writeMap(root: string): string {
  const lines = new Map(Object.entries(OTHERS));
  const gone = [...lines.keys()].find((folder) => fs.globSync(folder, { cwd: root }).length === 0);
  if (gone !== undefined) throw new MissingPurpose(`scripts/map.ts describes ${gone}/, which does not exist.`);
  const files = fs.globSync(CODE, { cwd: root, exclude: (file) => SKIPPED.test(file) }).sort();
  for (const [folder, own] of Map.groupBy(files, path.dirname))
    if (!lines.has(folder)) lines.set(folder, describeFolder(root, folder, own));
  const sections = Map.groupBy([...lines].sort(), ([folder]) => /^packages\/[^/]+|^[^/]+/.exec(folder)?.[0] ?? folder);
  const tables = [...sections].map(([section, rows]) => {
    const list = rows.map(([folder, purpose]) => `| \`${folder.slice(section.length + 1) || '.'}\` | ${purpose} |\n`);
    return `\n## ${section}\n\n| Folder | Purpose |\n|---|---|\n${list.join('')}`;
  });
  const [byHand] = fs.readFileSync(path.join(root, 'docs/map.md'), 'utf8').split(START);
  return byHand + START + tables.join('');
}
