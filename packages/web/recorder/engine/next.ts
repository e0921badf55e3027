import type { RecorderNext } from '@foreword/contract';
import { parseShown } from '@foreword/contract/plain';
import { expireAfter } from './clock.ts';

const ANSWER_PATIENCE_MS = 10_000;

const looksLikeNext = (body: unknown): body is RecorderNext =>
  typeof body === 'object' && body !== null && 'next' in body && 'left' in body;

/** The next intros to record, without `skipped` (ids). Null without an answer. */
export async function fetchNext(api: string, skipped: readonly string[]): Promise<RecorderNext | null> {
  try {
    const query = skipped.length === 0 ? '' : `?skip=${skipped.join(',')}`;
    const response = await fetch(`${api}/next${query}`, { cache: 'no-store', signal: expireAfter(ANSWER_PATIENCE_MS) });
    const body = response.ok ? parseShown(await response.text()) : null;
    return looksLikeNext(body) ? body : null;
  } catch {
    return null;
  }
}
