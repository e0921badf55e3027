import type { ClosedReason, Colleague, DeclineReason } from '@foreword/contract';
import { parseShown } from '@foreword/contract/plain';
import { expireAfter } from './clock.ts';
import { errorIn, findSuccessor, saysClosed } from './state.ts';

const ANSWER_PATIENCE_MS = 10_000;

/** Why a request changed nothing. `code`: the server's, or null without its answer. */
export type Refusal =
  | { kind: 'refused'; code: string | null }
  | { kind: 'closed'; closed: ClosedReason }
  /** Another member records the intro now. */
  | { kind: 'reassigned'; to: string };

async function request(url: string, init: RequestInit): Promise<{ body: unknown } | Refusal> {
  try {
    const response = await fetch(url, { ...init, cache: 'no-store', signal: expireAfter(ANSWER_PATIENCE_MS) });
    const text = await response.text();
    if (response.status === 204) return { body: null };
    const body = parseShown(text);
    if (response.ok) return { body };
    if (response.status === 410 && saysClosed(body)) return { kind: 'closed', closed: body.closed };
    const to = response.status === 404 ? findSuccessor(body) : null;
    if (to !== null) return { kind: 'reassigned', to };
    const { code } = errorIn(body) ?? {};
    return { kind: 'refused', code: typeof code === 'string' ? code : null };
  } catch {
    // No signal and invalid JSON are handled the same way.
    return { kind: 'refused', code: null };
  }
}

const post = (url: string, body: unknown) => request(url, { method: 'POST', body: JSON.stringify(body) });

/** Null: done. Repeating it changes nothing. */
export async function sendDecline(
  api: string,
  decline: { reason: DeclineReason; message: string | null },
): Promise<Refusal | null> {
  const answer = await post(`${api}/decline`, decline);
  return 'kind' in answer ? answer : null;
}

/** Null: done. A repeated request finds the link replaced. */
export async function sendHandOver(api: string, { id }: Colleague): Promise<Refusal | null> {
  const answer = await post(`${api}/hand-over`, { member: id });
  return 'kind' in answer ? answer : null;
}

const looksLikeColleagues = (body: unknown): body is { colleagues: readonly Colleague[] } =>
  typeof body === 'object' && body !== null && 'colleagues' in body && Array.isArray(body.colleagues);

export async function fetchColleagues(api: string): Promise<readonly Colleague[] | Refusal> {
  const answer = await request(`${api}/colleagues`, {});
  if ('kind' in answer) return answer;
  return looksLikeColleagues(answer.body) ? answer.body.colleagues : { kind: 'refused', code: null };
}
