import { expect } from 'vitest';
import { type Api, nextKey, type Reply, sleep } from '../../harness/index.ts';

/** Polls soon at first, then less often, because polling slows down the service that the test waits for. */
const POLL_MS = { first: 5, growth: 1.2, max: 250 };
/** Generous: a busy machine may also have to encode a video. */
const SETTLED_WITHIN_MS = 90_000;

export const APPOINTMENT = { starts_at: '2031-03-12T14:30:00', timezone: 'America/Chicago' };
export const REFERENCE = { source: 'acme_crm', type: 'appointment', id: 'appt_8812' };
const MEMBER = { external_id: 'rep_17' };
const RECIPIENT = { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' };

/** The smallest valid event, for a touchpoint that requires no context. */
export const anEvent = (changes: object = {}) => ({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: MEMBER,
  recipient: RECIPIENT,
  ...changes,
});

/** The smallest valid intro. */
export const anIntro = (changes: object = {}) => ({ member: MEMBER, recipient: RECIPIENT, ...changes });

// biome-ignore lint/suspicious/noExplicitAny: tests access response fields freely, as in the harness.
type Body = any;

export async function createIntro(api: Api, changes: object = {}): Promise<Body> {
  const { status, body } = await api.post('/v1/intros', anIntro(changes));
  expect(status).toBe(201);
  return body;
}

export async function sendEvent(api: Api, changes: object = {}): Promise<Body> {
  const { status, body } = await api.post('/v1/touchpoint-events', anEvent(changes));
  expect(status).toBe(202);
  return body;
}

type Fields<T> = Partial<Pick<T, keyof T>>;

const hasFields = <T>(found: T, fields: Fields<T>): boolean =>
  (Object.keys(fields) as (keyof T)[]).every((name) => found[name] === fields[name]);

/** Reads until the value meets a condition or has these fields; without either, until there is one. Fails at the time limit. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  wanted: ((found: T) => boolean) | Fields<T> = Boolean,
  withinMs = SETTLED_WITHIN_MS,
): Promise<NonNullable<T>> {
  const isDone = typeof wanted === 'function' ? wanted : (found: T) => hasFields(found, wanted);
  const end = performance.now() + withinMs;
  for (let pauseMs = POLL_MS.first; ; pauseMs = Math.min(pauseMs * POLL_MS.growth, POLL_MS.max)) {
    const found = await read();
    if (isDone(found)) return found as NonNullable<T>;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(found)}`);
    await sleep(pauseMs);
  }
}

/** Sends requests at the same time. Like a client, it repeats one with its key if the service is overloaded. */
export const sendTogether = (count: number, send: (n: number, options: { key: string }) => Promise<Reply>) =>
  Promise.all(
    Array.from({ length: count }, (_, n) => {
      const options = { key: nextKey() };
      return eventually(
        () => send(n, options),
        ({ status }) => status !== 503,
      );
    }),
  );

/** Waits until the event is no longer `accepted`. */
export const settled = (api: Api, eventId: string): Promise<Body> =>
  eventually(
    async () => (await api.get(`/v1/events/${eventId}`)).body,
    (event) => event.status !== 'accepted',
  );

/** Sends an event and returns the intro it created. */
export async function introOfEvent(api: Api, changes: object = {}): Promise<Body> {
  const event = await settled(api, (await sendEvent(api, changes)).id);
  expect(event.status).toBe('processed');
  return (await api.get(`/v1/intros/${event.intro}`)).body;
}

export function expectError(reply: { status: number; body: Body }, status: number, code: string, field?: string): void {
  const { problems, object_id, message, ...error } = reply.body?.error ?? {};
  expect({ status: reply.status, ...error }).toEqual({ status, code, ...(field !== undefined && { field }) });
  if (code === 'validation_failed') expect(problems[0]).toMatchObject({ field });
  else expect(problems).toBeUndefined();
  if (code !== 'idempotency_conflict') expect(object_id).toBeUndefined();
}

/** The ids of a page of events. */
export async function listEvents(api: Api, query = ''): Promise<string[]> {
  const { status, body } = await api.get(`/v1/events${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body.data.map(({ id }: { id: string }) => id);
}

/** The ids of all pages of a list. The path has a query. */
export async function listAll(api: Api, path: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ; cursor = `&starting_after=${found.at(-1)}`) {
    const { body } = await api.get(path + cursor);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.has_more) return found;
    expect(body.data.length).toBeGreaterThan(0);
  }
}
