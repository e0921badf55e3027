/**
 * The part of the web platform that the SDK uses. Declared here, because a global type would need the types of a browser or
 * of Node in every project that uses the SDK.
 */

export interface ResponseLike {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface RequestLike {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly redirect: 'manual';
  // biome-ignore lint/suspicious/noExplicitAny: the type of a body differs between runtimes.
  readonly body?: any;
  // biome-ignore lint/suspicious/noExplicitAny: a signal with fewer members than that of every runtime would fit none.
  readonly signal: any;
}

/** `fetch` of any runtime, or one of your own. */
export type Fetch = (url: string, request: RequestLike) => Promise<ResponseLike>;

/** The signal of an AbortController. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface Runtime {
  readonly fetch?: Fetch;
  readonly crypto: {
    randomUUID(): string;
    readonly subtle: {
      importKey(
        format: 'raw',
        key: Uint8Array,
        algorithm: { name: 'HMAC'; hash: 'SHA-256' },
        extractable: false,
        usages: readonly ['sign'],
      ): Promise<object>;
      sign(algorithm: 'HMAC', key: object, data: Uint8Array): Promise<ArrayBuffer>;
    };
  };
  readonly AbortController: new () => { readonly signal: AbortSignalLike; abort(reason: unknown): void };
  readonly URL: new (
    url: string,
  ) => {
    readonly protocol: string;
    readonly username: string;
    readonly password: string;
    readonly search: string;
    readonly hash: string;
    readonly href: string;
    readonly pathname: string;
  };
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (encoding: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
  atob(text: string): string;
}

export const runtime = globalThis as unknown as Runtime;

/** The reason of an aborted signal. Older runtimes have none. */
export const abortReason = ({ reason }: AbortSignalLike): unknown =>
  reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });

/** Resolves after the time, and rejects at once when the signal aborts. */
export function pause(durationMs: number, signal?: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const stop = () => {
      runtime.clearTimeout(timer);
      if (signal) reject(abortReason(signal));
    };
    const timer = runtime.setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, durationMs);
    signal?.addEventListener('abort', stop);
  });
}

/**
 * Runs a task with a signal that aborts with the caller's, or with the error after the time limit. Rejects at that moment,
 * even if the task ignores its signal.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  onTimeout: () => Error,
  signal: AbortSignalLike | undefined,
  task: (signal: AbortSignalLike) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw abortReason(signal);
  const controller = new runtime.AbortController();
  let end: (reason: unknown) => void = () => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = (reason) => {
      reject(reason);
      controller.abort(reason);
    };
  });
  const timer = runtime.setTimeout(() => end(onTimeout()), timeoutMs);
  const abort = () => signal && end(abortReason(signal));
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([task(controller.signal), ended]);
  } finally {
    runtime.clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
