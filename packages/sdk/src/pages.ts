import type { Page } from './generated/types.ts';
import type { Call, Requester } from './request.ts';

/** The largest page that the API has: iterating over a list needs fewer requests. */
export const LARGEST_PAGE = 100;

/**
 * A list that has not been requested yet. `await` requests its first page; `for await` goes through all objects and requests
 * further pages as they are needed.
 */
export class List<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #requester: Requester;
  readonly #call: Call;
  readonly #iteratedPageSize: number | undefined;
  #firstPage: Promise<Page<T>> | undefined;

  /** Without a page size, the list has one page and takes no `limit`. */
  constructor(requester: Requester, call: Call, iteratedPageSize?: number) {
    this.#requester = requester;
    this.#call = call;
    this.#iteratedPageSize = iteratedPageSize;
  }

  #request(query: Call['query']): Promise<Page<T>> {
    return this.#requester.send<Page<T>>({ ...this.#call, query });
  }

  #first(): Promise<Page<T>> {
    this.#firstPage ??= this.#request(this.#call.query);
    return this.#firstPage;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a list is part of its design.
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#first().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.#first().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.#first().finally(onFinally);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { query = {} } = this.#call;
    const filters = { ...query, limit: (query as { limit?: number }).limit ?? this.#iteratedPageSize };
    let page = await (this.#firstPage ?? this.#request(filters));
    for (;;) {
      yield* page.data;
      const last = page.data.at(-1) as { id?: string } | undefined;
      if (!page.has_more || last?.id === undefined) return;
      page = await this.#request({ ...filters, starting_after: last.id });
    }
  }
}
