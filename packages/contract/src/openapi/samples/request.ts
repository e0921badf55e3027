import type { OperationId } from '../../operations.ts';
import type { Json } from '../schemas.ts';

/** The request that a sample sends: the first example of its operation. */
export interface SampleRequest {
  readonly operationId: OperationId;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With the id, without the query. */
  readonly path: string;
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, string>> | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: Json | undefined;
}

/** The path and the query, as in a URL. */
export const targetOf = ({ path, query }: SampleRequest): string =>
  query === undefined ? path : `${path}?${new URLSearchParams(query)}`;

/** The headers besides `Authorization`. */
export const headersOf = ({ idempotencyKey, body }: SampleRequest): [name: string, value: string][] => [
  ...(idempotencyKey === undefined ? [] : [['Idempotency-Key', idempotencyKey] as [string, string]]),
  ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
];
