import fs from 'node:fs';
import path from 'node:path';
import { ERROR_GUIDE } from '@foreword/contract';
import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { readOpenApi } from '../docs/openapi.ts';
import { listFiles, type Page, PLACEHOLDER, readClone, toPage } from '../docs/site.ts';

const readSite = (folder: string, publicUrl: string): Page[] =>
  listFiles(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => {
      const text = fs.readFileSync(path.join(folder, file), 'utf8');
      return toPage(file.replace(/\.md$/, ''), text.replaceAll(PLACEHOLDER, publicUrl));
    });

/** Every code, from the contract. */
function writeErrors(): Page {
  const sections = ERROR_GUIDE.flatMap(({ title, text, entries }) => [
    `## ${title}`,
    text,
    ...entries.map(({ code, status, description, action }) => {
      const response = status === null ? '' : ` (${status})`;
      return `- \`${code}\`${response}: ${description} ${action}`;
    }),
  ]);
  return toPage('errors', `${['# Errors', ...sections].join('\n\n')}\n`);
}

/** The pages of the built docs site, or of a clone where it is not built. The page about errors always exists. */
export function readPages(siteFolder: string | null, publicUrl: string): ReadonlyMap<string, Page> {
  const pages = siteFolder === null ? readClone() : readSite(siteFolder, publicUrl);
  const found = pages.sort((a, b) => (a.name < b.name ? -1 : 1));
  const all = found.some(({ name }) => name === 'errors') ? found : [...found, writeErrors()];
  return new Map(all.map((page) => [page.name, page]));
}

const DOCS = 'foreword://docs/';
const OPENAPI = 'foreword://openapi.json';
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

export type Resources = ReturnType<typeof createResources>;

const contentsOf = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

/** The documentation and the OpenAPI document. */
export function createResources(options: {
  /** The built docs site. Null: not built. */
  readonly siteFolder: string | null;
  readonly publicUrl: string;
}) {
  const { siteFolder, publicUrl } = options;
  // Read on first use, and kept: they change only with the version.
  let found: ReturnType<typeof readPages> | undefined;
  let openApi: string | undefined;
  const pages = () => (found ??= readPages(siteFolder, publicUrl));
  return {
    list: (): Resource[] => [
      ...[...pages().values()].map(({ name, title }) => ({ uri: DOCS + name, name, title, mimeType: MARKDOWN })),
      { uri: OPENAPI, name: 'openapi.json', title: 'The API as an OpenAPI 3.1 document (large)', mimeType: JSON_TYPE },
    ],
    read(uri: string): ReadResourceResult {
      if (uri === OPENAPI) {
        openApi ??= JSON.stringify(readOpenApi(publicUrl));
        return contentsOf(uri, JSON_TYPE, openApi);
      }
      const page = uri.startsWith(DOCS) ? pages().get(uri.slice(DOCS.length)) : undefined;
      if (page === undefined) throw new ResourceNotFoundError(uri);
      return contentsOf(uri, MARKDOWN, page.text);
    },
  };
}
