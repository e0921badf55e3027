import type { ConsoleBody } from '@foreword/contract';
import { nowMs } from '../../clock.ts';

type Body = ConsoleBody<'POST /home/intros'>;
export type Wish = Omit<Body, 'key' | 'occurred_at'>;

const KEY_BYTES = 16;

function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The same wish sent again is the same attempt, word for word: when nobody answered the first time, the server may have
 * heard it all the same. Another wish is another one.
 */
export function createAttempts(): (wish: Wish) => Body {
  let last: { readonly wish: string; readonly body: Body } | null = null;
  return (wish) => {
    const text = JSON.stringify(wish);
    if (last?.wish === text) return last.body;
    const body = { ...wish, key: makeKey(), occurred_at: new Date(nowMs()).toISOString() };
    last = { wish: text, body };
    return body;
  };
}
