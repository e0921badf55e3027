import { useState } from 'react';
import { nowMs } from './format.ts';

const KEY_BYTES = 16;

export function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the Idempotency-Key of an input, and the time of its first try. Unchanged input repeats the same request, because the
 * server may have processed one whose response was lost.
 */
function createRetryKeys() {
  let last: { readonly input: string; readonly key: string; readonly atMs: number } | null = null;
  return {
    of(input: unknown) {
      const text = JSON.stringify(input);
      if (last?.input !== text) last = { input: text, key: makeKey(), atMs: nowMs() };
      return last;
    },
    /** The request was answered: sending the same input again creates a new request. */
    done() {
      last = null;
    },
  };
}

export const useRetryKeys = () => useState(createRetryKeys)[0];
