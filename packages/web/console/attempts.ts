import { useState } from 'react';

const KEY_BYTES = 16;

function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

type Body<Wish, More> = Wish & More & { readonly key: string };

export interface Attempts<Wish, More = unknown> {
  (wish: Wish): Body<Wish, More>;
  /** It was answered: the same wish from now on is another one. */
  done(): void;
}

/**
 * The same wish sent again is the same attempt, word for word: when nobody answered the first time, the server may have
 * heard it all the same. Another wish is another one. `more` is what else belongs to an attempt.
 */
export function createAttempts<Wish, More>(more: () => More): Attempts<Wish, More> {
  let last: { readonly wish: string; readonly body: Body<Wish, More> } | null = null;
  const attempt = (wish: Wish) => {
    const text = JSON.stringify(wish);
    if (last?.wish === text) return last.body;
    const body = { ...wish, ...more(), key: makeKey() };
    last = { wish: text, body };
    return body;
  };
  const done = () => {
    last = null;
  };
  return Object.assign(attempt, { done });
}

/** Stays with the page. Say `done` once it is. */
export function useAttempts<Wish>(): Attempts<Wish> {
  const [attempts] = useState(() => createAttempts<Wish, unknown>(() => ({})));
  return attempts;
}
