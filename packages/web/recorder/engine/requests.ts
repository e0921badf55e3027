import type { ClosedReason, Colleague, DeclineReason, Language, RecorderNext, RecorderState } from '@foreword/contract';
import { parseShown } from '@foreword/contract/plain';
import { expireAfter } from './clock.ts';
import type { LinkEnd, StateAnswer } from './types.ts';

const ANSWER_PATIENCE_MS = 10_000;

/** `body` is null if it is empty. Null: no signal, or a body that is not JSON. */
async function ask(url: string, init: RequestInit = {}): Promise<{ status: number; body: unknown } | null> {
  try {
    const response = await fetch(url, { ...init, cache: 'no-store', signal: expireAfter(ANSWER_PATIENCE_MS) });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : parseShown(text) };
  } catch {
    return null;
  }
}

const post = (url: string, body?: object) =>
  ask(url, body === undefined ? { method: 'POST' } : { method: 'POST', body: JSON.stringify(body) });

const hasAll = (body: unknown, ...names: string[]): body is Record<string, unknown> =>
  typeof body === 'object' && body !== null && names.every((name) => name in body);

export async function fetchState(api: string): Promise<StateAnswer> {
  const answer = await ask(`${api}/state`);
  if (answer === null) return { offline: true };
  const { status, body } = answer;
  const end = findEnd(answer);
  if (end !== null) return end;
  if (status === 404 && saysUnknown(body)) return { unknown: true };
  // A network's sign-in page answers every request with its own page.
  const isState = status === 200 && hasAll(body, 'intro', 'member', 'limits');
  return isState ? (body as unknown as RecorderState) : { offline: true };
}

/** The next intros to record, without `skipped` (ids). Null without an answer, and for a link that leads nowhere else. */
export async function fetchNext(api: string, skipped: readonly string[]): Promise<RecorderNext | null> {
  const { body } = (await ask(`${api}/next${skipped.length === 0 ? '' : `?skip=${skipped.join(',')}`}`)) ?? {};
  return hasAll(body, 'next', 'left') ? (body as unknown as RecorderNext) : null;
}

/** Returns false without an answer from the server. */
export async function requestRetry(api: string): Promise<boolean> {
  const { status } = (await post(`${api}/retry`)) ?? {};
  // A network's sign-in page answers with another status. A 409 means that the take no longer waits for this.
  return status === 204 || status === 409;
}

/** Has the text sent. Null: it will be. Otherwise why not; '' without an answer. */
export async function requestText(api: string): Promise<string | null> {
  const { status, body } = (await post(`${api}/send`)) ?? {};
  return status === 204 ? null : String(errorIn(body)?.message ?? '');
}

/** Returns false if it was not stored. */
export async function sendPreferences(
  api: string,
  chosen: { words_per_minute: number } | { language: Language },
): Promise<boolean> {
  const init = { method: 'POST', body: JSON.stringify(chosen), keepalive: true };
  return (await ask(`${api}/preferences`, init))?.status === 204;
}

/** Why a request changed nothing. `code`: the server's, or null without its answer. */
export type Refusal = { code: string | null } | LinkEnd;

function refusalIn(answer: Awaited<ReturnType<typeof ask>>): Refusal {
  const end = answer && findEnd(answer);
  const code = errorIn(answer?.body)?.code;
  return end ?? { code: typeof code === 'string' ? code : null };
}

/** Declines the intro, or hands it over. Null: done. Repeating it changes nothing, or finds the link replaced. */
export async function sendUnable(
  api: string,
  wanted: { reason: DeclineReason; message: string | null } | { member: string },
): Promise<Refusal | null> {
  const answer = await post(`${api}/${'member' in wanted ? 'hand-over' : 'decline'}`, wanted);
  return answer?.status === 204 ? null : refusalIn(answer);
}

export async function fetchColleagues(api: string): Promise<readonly Colleague[] | Refusal> {
  const answer = await ask(`${api}/colleagues`);
  const isList = answer?.status === 200 && hasAll(answer.body, 'colleagues');
  return isList ? ((answer.body as { colleagues: unknown }).colleagues as readonly Colleague[]) : refusalIn(answer);
}

const REASONS: readonly string[] = [
  'cancelled',
  'expired',
  'link_expired',
  'likeness_withdrawn',
] satisfies ClosedReason[];

export function saysClosed(body: unknown): body is { closed: ClosedReason } {
  return hasAll(body, 'closed') && REASONS.includes(`${body.closed}`);
}

/** True only for the service's own 404. A proxy also returns 404 while the service behind it is being replaced. */
export const saysUnknown = (body: unknown): boolean => errorIn(body)?.code === 'not_found';

/** From a response for a link that no longer works. */
function findEnd({ status, body }: { status: number; body: unknown }): LinkEnd | null {
  if (status === 410 && saysClosed(body)) return { closed: body.closed };
  return status === 404 && hasAll(body, 'reassigned_to') ? { reassignedTo: String(body.reassigned_to) } : null;
}

/** The `error` of a response of the service: `{ error: { code, message } }`. */
export function errorIn(body: unknown): { code?: unknown; message?: unknown } | null {
  return hasAll(body, 'error') && typeof body.error === 'object' ? body.error : null;
}
