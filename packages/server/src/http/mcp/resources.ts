import fs from 'node:fs';
import path from 'node:path';
import { buildOpenApi, ERROR_GUIDE, OPERATIONS, type Operation, scopesOf } from '@foreword/contract';
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { Caller } from '../access/index.ts';
import type { ApiClient } from './api-client.ts';

/** A page of the documentation. */
interface Document {
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

/** Every code, from the contract. */
function writeErrors(): Document {
  const sections = ERROR_GUIDE.flatMap(({ title, text, entries }) => [
    `## ${title}`,
    text,
    ...entries.map(({ code, status, description, action }) => {
      const response = status === null ? '' : ` (${status})`;
      return `- \`${code}\`${response}: ${description} ${action}`;
    }),
  ]);
  return toDocument('errors', `${['# Errors', ...sections].join('\n\n')}\n`);
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

const SCHEME = 'foreword://';
const DOCS = `${SCHEME}docs/`;
const EVERYTHING = `${DOCS}llms-full`;
const OPENAPI = `${SCHEME}openapi.json`;
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';
const ID = '{id}';

/** An object of the API as a resource: `foreword://intros/{id}` is `GET /v1/intros/{id}`. */
interface ObjectResource {
  readonly operation: Operation;
  readonly template: ResourceTemplateType;
}

const objectResources: readonly ObjectResource[] = Object.values(OPERATIONS as Record<string, Operation>)
  .filter(({ method, path }) => method === 'GET' && path.endsWith(`/${ID}`))
  .map((operation) => ({
    operation,
    template: {
      uriTemplate: operation.path.replace('/v1/', SCHEME),
      name: operation.operationId,
      title: operation.summary,
      description: operation.description,
      mimeType: JSON_TYPE,
    },
  }));

export type Resources = ReturnType<typeof createResources>;

const contentsOf = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

async function readObject(api: ApiClient, uri: string): Promise<ReadResourceResult> {
  const [, collection = '', id = ''] = /^foreword:\/\/([a-z_/-]+)\/(\w{1,80})$/.exec(uri) ?? [];
  const path = `/v1/${collection}/${ID}`;
  if (!objectResources.some(({ operation }) => operation.path === path)) throw new ResourceNotFoundError(uri);
  const { error, body } = await api({ method: 'GET', path: path.replace(ID, id) });
  if (error?.code === 'not_found') throw new ResourceNotFoundError(uri, error.message);
  if (error !== null) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message, error);
  return contentsOf(uri, JSON_TYPE, JSON.stringify(body));
}

/** The documentation, the OpenAPI document, and the objects of the API. */
export function createResources(options: {
  /** The built docs site. Null: not built. */
  readonly siteFolder: string | null;
  readonly publicUrl: string;
  readonly version: string;
}) {
  const { siteFolder, publicUrl, version } = options;
  // Read on first use, and kept: they change only with the version.
  let pages: ReturnType<typeof readDocuments> | undefined;
  let openApi: string | undefined;
  const documents = () => (pages ??= readDocuments(siteFolder, publicUrl));
  return {
    list: (): Resource[] => [
      ...[...documents().values()].map(({ name, title }) => ({ uri: DOCS + name, name, title, mimeType: MARKDOWN })),
      { uri: EVERYTHING, name: 'llms-full', title: 'All pages of the documentation in one', mimeType: MARKDOWN },
      { uri: OPENAPI, name: 'openapi.json', title: 'The API as an OpenAPI 3.1 document (large)', mimeType: JSON_TYPE },
    ],
    listTemplates: ({ scope }: Caller): ResourceTemplateType[] =>
      objectResources.filter(({ operation }) => scopesOf(operation).includes(scope)).map(({ template }) => template),
    async read(api: ApiClient, uri: string): Promise<ReadResourceResult> {
      if (uri === OPENAPI) {
        openApi ??= JSON.stringify(buildOpenApi(publicUrl, version));
        return contentsOf(uri, JSON_TYPE, openApi);
      }
      if (uri === EVERYTHING) return contentsOf(uri, MARKDOWN, joinDocuments(documents().values()));
      if (!uri.startsWith(DOCS)) return readObject(api, uri);
      const page = documents().get(uri.slice(DOCS.length));
      if (page === undefined) throw new ResourceNotFoundError(uri);
      return contentsOf(uri, MARKDOWN, page.text);
    },
  };
}
