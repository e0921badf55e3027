import { ForewordEventFailedError } from '../errors.ts';
import type {
  AcceptedTouchpointEvent,
  CreateTouchpointEvent,
  ListEventsParams,
  TouchpointEvent,
} from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type CreateOptions, type RequestOptions, segment, type WriteOptions } from '../request.ts';
import type { AbortSignalLike } from '../runtime.ts';
import { waitUntil } from '../waiting.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/events';
const WAIT_TIMEOUT_MS = 60_000;

export interface WaitOptions {
  /** Time limit of the whole wait. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

export type ProcessedTouchpointEvent = TouchpointEvent & { readonly status: 'processed'; readonly intro: string };

export class Events extends Resource {
  /** Reports a business moment. Repeating it with the same key returns the same event with the status `duplicate`. */
  create(body: CreateTouchpointEvent, options: CreateOptions): Promise<AcceptedTouchpointEvent> {
    return this.add('/v1/touchpoint-events', body, options);
  }

  /** With `wait`, the response arrives when the event is processed, or after that many seconds. */
  async retrieve(
    id: string,
    { wait, ...options }: RequestOptions & { readonly wait?: number | undefined } = {},
  ): Promise<TouchpointEvent> {
    return this.read(`${PATH}/${segment('id', id)}`, options, { query: { wait }, waitS: wait });
  }

  /** Processes a failed event again, once its cause is fixed. */
  async retry(id: string, options?: WriteOptions): Promise<TouchpointEvent> {
    return this.change(`${PATH}/${segment('id', id)}/retry`, options);
  }

  list(filters: ListEventsParams = {}, options: RequestOptions = {}): List<TouchpointEvent> {
    return this.pages(PATH, filters, options);
  }

  /** Resolves when the event is processed; throws a `ForewordEventFailedError` when it failed. Default: 60 s. */
  waitFor(id: string, { timeoutMs = WAIT_TIMEOUT_MS, signal }: WaitOptions = {}): Promise<ProcessedTouchpointEvent> {
    return waitUntil({
      description: `the event ${id}`,
      timeoutMs,
      signal,
      retrieve: (wait, inner) => this.retrieve(id, { wait, signal: inner }),
      isDone: (event): event is ProcessedTouchpointEvent => {
        if (event.status === 'failed') throw new ForewordEventFailedError(event);
        return event.status === 'processed';
      },
    });
  }
}
