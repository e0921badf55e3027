import { buildOpenApi, OPERATIONS, type Operation, scopesOf } from '@foreword/contract';
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
import { joinDocuments, readDocuments } from './documents.ts';

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

export interface Resources {
  list(): Resource[];
  listTemplates(caller: Caller): ResourceTemplateType[];
  read(api: ApiClient, uri: string): Promise<ReadResourceResult>;
}

const contentsOf = (uri: string, mimeType: string, text: string): ReadResourceResult => ({
  contents: [{ uri, mimeType, text }],
});

async function readObject(api: ApiClient, uri: string): Promise<ReadResourceResult> {
  const [, collection = '', id = ''] = /^foreword:\/\/([a-z_-]+)\/(\w{1,80})$/.exec(uri) ?? [];
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
}): Resources {
  const { siteFolder, publicUrl, version } = options;
  // Read on first use, and kept: they change only with the version.
  let pages: ReturnType<typeof readDocuments> | undefined;
  let openApi: string | undefined;
  const documents = () => (pages ??= readDocuments(siteFolder, publicUrl));
  return {
    list: () => [
      ...[...documents().values()].map(({ name, title }) => ({ uri: DOCS + name, name, title, mimeType: MARKDOWN })),
      { uri: EVERYTHING, name: 'llms-full', title: 'All pages of the documentation in one', mimeType: MARKDOWN },
      { uri: OPENAPI, name: 'openapi.json', title: 'The API as an OpenAPI 3.1 document (large)', mimeType: JSON_TYPE },
    ],
    listTemplates: ({ scope }) =>
      objectResources.filter(({ operation }) => scopesOf(operation).includes(scope)).map(({ template }) => template),
    async read(api, uri) {
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
