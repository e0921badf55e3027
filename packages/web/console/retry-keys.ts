import { useState } from 'react';

const KEY_BYTES = 16;

export function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Keyed<Body> {
  readonly key: string;
  readonly body: Body;
}

interface RetryKeys<Input, Extra = unknown> {
  (input: Input): Keyed<Input & Extra>;
  /** The request was answered: sending the same input again creates a new request. */
  done(): void;
}

/**
 * Builds requests with an Idempotency-Key. Unchanged input repeats the same request, because the server may have
 * processed one whose response was lost. `makeExtra` adds fields that stay the same across retries.
 */
export function createRetryKeys<Input, Extra>(makeExtra: () => Extra): RetryKeys<Input, Extra> {
  let last: { readonly input: string; readonly request: Keyed<Input & Extra> } | null = null;
  const toRequest = (input: Input) => {
    const text = JSON.stringify(input);
    if (last?.input === text) return last.request;
    const request = { key: makeKey(), body: { ...input, ...makeExtra() } };
    last = { input: text, request };
    return request;
  };
  const done = () => {
    last = null;
  };
  return Object.assign(toRequest, { done });
}

export function useRetryKeys<Input>(): RetryKeys<Input> {
  const [keys] = useState(() => createRetryKeys<Input, unknown>(() => ({})));
  return keys;
}
