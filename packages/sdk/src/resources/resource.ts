/** Folder: the methods of the client, one file for each resource. */

import { LARGEST_PAGE, List } from '../pages.ts';
import {
  type Call,
  type CreateOptions,
  checkIdempotencyKey,
  type Query,
  type Requester,
  type RequestOptions,
  type WriteOptions,
} from '../request.ts';
import { runtime } from '../runtime.ts';

/** The part that the methods of all resources share. */
export abstract class Resource {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  protected read<T>(path: string, options: RequestOptions = {}, call: Pick<Call, 'query' | 'waitS'> = {}): Promise<T> {
    return this.#requester.send<T>({ method: 'GET', path, options, ...call });
  }

  protected pages<T>(path: string, query: Query = {}, options: RequestOptions = {}): List<T> {
    return new List<T>(this.#requester, { method: 'GET', path, query, options }, LARGEST_PAGE);
  }

  protected onePage<T>(path: string, options: RequestOptions = {}): List<T> {
    return new List<T>(this.#requester, { method: 'GET', path, options });
  }

  /** Rejects instead of throwing, so that a caller handles every problem in one way. */
  protected async add<T>(path: string, body: object, options: CreateOptions): Promise<T> {
    const idempotencyKey = checkIdempotencyKey(options?.idempotencyKey);
    return this.#requester.send<T>({ method: 'POST', path, body, options, idempotencyKey });
  }

  protected async change<T>(
    path: string,
    options: WriteOptions = {},
    call: { readonly method?: 'DELETE' } & Pick<Call, 'body' | 'file'> = {},
  ): Promise<T> {
    const idempotencyKey = checkIdempotencyKey(options.idempotencyKey ?? `sdk:${runtime.crypto.randomUUID()}`);
    return this.#requester.send<T>({ method: 'POST', path, options, idempotencyKey, ...call });
  }
}
