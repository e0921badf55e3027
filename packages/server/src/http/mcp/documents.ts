import fs from 'node:fs';
import path from 'node:path';
import {
  DELIVERY_DELAY_ACTIONS,
  DELIVERY_DELAYS,
  DELIVERY_FAILURE_ACTIONS,
  DELIVERY_FAILURES,
  ERRORS,
  EVENT_FAILURE_ACTIONS,
  EVENT_FAILURES,
  RECORDING_FAILURE_ACTIONS,
  RECORDING_FAILURES,
} from '@foreword/contract';

/** A page of the documentation. */
export interface Document {
  /** `guides/quickstart`. */
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

/** Where a clone has the pages. A package has only the built site: there, this is a folder of someone else. */
const CLONE = path.join(import.meta.dirname, '../../../../..');
const IS_CLONE = path.relative(CLONE, import.meta.dirname) === path.join('packages', 'server', 'src', 'http', 'mcp');
const FOLDERS = ['guides', 'concepts', 'recipes', 'self-hosting'];
const FILES: Readonly<Record<string, string>> = {
  upgrading: 'docs/upgrading.md',
  sdk: 'packages/sdk/README.md',
  security: 'SECURITY.md',
  changelog: 'CHANGELOG.md',
};
/** The host in the addresses of the built site, whose address is unknown when it is built. */
const PLACEHOLDER = 'https://foreword.invalid';

const titleOf = (text: string, name: string): string => /^# (.+)$/m.exec(text)?.[1] ?? name;

const toDocument = (name: string, text: string): Document => ({ name, title: titleOf(text, name), text });

function readSite(folder: string, publicUrl: string): Document[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => {
      const name = path.relative(folder, file).replaceAll(path.sep, '/').replace(/\.md$/, '');
      return toDocument(name, fs.readFileSync(file, 'utf8').replaceAll(PLACEHOLDER, publicUrl));
    });
}

const isFile = (file: string): boolean => fs.existsSync(path.join(CLONE, file));

function readClone(): Document[] {
  if (!IS_CLONE) return [];
  const pages = FOLDERS.filter((folder) => isFile(`docs/${folder}`)).flatMap((folder) =>
    fs
      .readdirSync(path.join(CLONE, 'docs', folder))
      .filter((file) => file.endsWith('.md'))
      .map((file): [string, string] => [`${folder}/${file.replace(/\.md$/, '')}`, `docs/${folder}/${file}`]),
  );
  return [...pages, ...Object.entries(FILES)]
    .filter(([, file]) => isFile(file))
    .map(([name, file]) => toDocument(name, fs.readFileSync(path.join(CLONE, file), 'utf8')));
}

const section = (title: string, texts: Readonly<Record<string, string>>, actions: Readonly<Record<string, string>>) =>
  [`## ${title}`, ...Object.entries(texts).map(([code, text]) => `- \`${code}\`: ${text} ${actions[code]}`)].join(
    '\n\n',
  );

/** Every code, from the contract's tables. */
function writeErrors(): Document {
  const responses = Object.entries(ERRORS).map(
    ([code, { status, description, action }]) => `- \`${code}\` (${status}): ${description} ${action}`,
  );
  const text = [
    '# Errors',
    '## Responses',
    ...responses,
    section('Failed events', EVENT_FAILURES, EVENT_FAILURE_ACTIONS),
    section('Failed deliveries', DELIVERY_FAILURES, DELIVERY_FAILURE_ACTIONS),
    section('Delayed deliveries', DELIVERY_DELAYS, DELIVERY_DELAY_ACTIONS),
    section('Rejected takes', RECORDING_FAILURES, RECORDING_FAILURE_ACTIONS),
  ].join('\n\n');
  return toDocument('errors', `${text}\n`);
}

/** The pages of the built docs site, or of a clone where it is not built. The page about errors always exists. */
export function readDocuments(siteFolder: string | null, publicUrl: string): ReadonlyMap<string, Document> {
  const pages = siteFolder === null ? readClone() : readSite(siteFolder, publicUrl);
  const found = pages.sort((a, b) => (a.name < b.name ? -1 : 1));
  const all = found.some(({ name }) => name === 'errors') ? found : [...found, writeErrors()];
  return new Map(all.map((page) => [page.name, page]));
}

/** All pages in one, for a client that reads everything at once. */
export const joinDocuments = (documents: Iterable<Document>): string =>
  [...documents].map(({ text }) => text.trim()).join('\n\n---\n\n');
