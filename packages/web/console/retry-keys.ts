import { useState } from 'react';

const KEY_BYTES = 16;

function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

type Body<Input, Extra> = Input & Extra & { readonly key: string };

export interface RetryKeys<Input, Extra = unknown> {
  (input: Input): Body<Input, Extra>;
  /** The request was answered: sending the same input again creates a new request. */
  done(): void;
}

/**
 * Builds request bodies with an idempotency key. Unchanged input repeats the same body, because the server may have
 * processed a request whose response was lost. `makeExtra` adds fields that stay the same across retries.
 */
export function createRetryKeys<Input, Extra>(makeExtra: () => Extra): RetryKeys<Input, Extra> {
  let last: { readonly input: string; readonly body: Body<Input, Extra> } | null = null;
  const toBody = (input: Input) => {
    const text = JSON.stringify(input);
    if (last?.input === text) return last.body;
    const body = { ...input, ...makeExtra(), key: makeKey() };
    last = { input: text, body };
    return body;
  };
  const done = () => {
    last = null;
  };
  return Object.assign(toBody, { done });
}

export function useRetryKeys<Input>(): RetryKeys<Input> {
  const [keys] = useState(() => createRetryKeys<Input, unknown>(() => ({})));
  return keys;
}
