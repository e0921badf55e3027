import fs from 'node:fs';
import path from 'node:path';
import { readDocument } from '../acceptance/support/published.ts';

interface Content {
  readonly schema: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface PublishedOperation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

export interface ListedOperation extends PublishedOperation {
  readonly method: string;
  readonly path: string;
}

const DOCUMENT = path.join(import.meta.dirname, '../../../../openapi.json');
const JSON_TYPE = 'application/json';

/** The operations of openapi.json. */
export function listOperations(): ListedOperation[] {
  const { paths } = readDocument<{ paths: Record<string, Record<string, PublishedOperation>> }>(
    fs.readFileSync(DOCUMENT, 'utf8'),
  );
  return Object.entries(paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path: at })),
  );
}

/** The named examples of each response, by status. */
export const responseExamples = ({ responses }: ListedOperation) =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content?.[JSON_TYPE]?.examples ?? {}).map(([name, { value }]) => ({ status, name, value })),
  );

/** A request with the first example; path parameters get this id. */
export function exampleRequest(operation: ListedOperation, id: string): { path: string; init: RequestInit } {
  const [body] = Object.values(operation.requestBody?.content[JSON_TYPE]?.examples ?? {});
  const key = operation.parameters.find(({ name }) => name === 'Idempotency-Key')?.example;
  return {
    path: operation.path.replaceAll(/\{\w+\}/g, id),
    init: {
      method: operation.method,
      headers: {
        authorization: 'Bearer any',
        ...(key !== undefined && { 'idempotency-key': key }),
        ...(body && { 'content-type': JSON_TYPE }),
      },
      ...(body && { body: JSON.stringify(body.value) }),
    },
  };
}
