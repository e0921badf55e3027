import { expect } from 'vitest';
import { type Api, sleep } from '../../harness/index.ts';

/** Soon, for what takes milliseconds; then ever less often, for whoever asks takes time from whoever is waited for. */
const LOOK_AGAIN_MS = { first: 5, growth: 1.2, most: 250 };
const SETTLED_WITHIN_MS = 10_000;

export const APPOINTMENT = { starts_at: '2031-03-12T14:30:00', timezone: 'America/Chicago' };
export const REFERENCE = { source: 'acme_crm', type: 'appointment', id: 'appt_8812' };
const MEMBER = { external_id: 'rep_17' };
const RECIPIENT = { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' };

/** The smallest sound event, of a touchpoint that needs no context. */
export const anEvent = (changes: object = {}) => ({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: MEMBER,
  recipient: RECIPIENT,
  ...changes,
});

/** The smallest sound intro. */
export const anIntro = (changes: object = {}) => ({ member: MEMBER, recipient: RECIPIENT, ...changes });

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely, as in the harness.
type Answer = any;

export async function createIntro(api: Api, changes: object = {}): Promise<Answer> {
  const { status, body } = await api.post('/v1/intros', anIntro(changes));
  expect(status).toBe(201);
  return body;
}

export async function sendEvent(api: Api, changes: object = {}): Promise<Answer> {
  const { status, body } = await api.post('/v1/touchpoint-events', anEvent(changes));
  expect(status).toBe(202);
  return body;
}

/** Asks until what is looked for has come, and fails when it does not come in time. */
export async function eventually<T>(
  look: () => Promise<T>,
  isThere: (found: T) => boolean,
  withinMs = SETTLED_WITHIN_MS,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (let pauseMs = LOOK_AGAIN_MS.first; ; pauseMs = Math.min(pauseMs * LOOK_AGAIN_MS.growth, LOOK_AGAIN_MS.most)) {
    const found = await look();
    if (isThere(found)) return found;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(found)}`);
    await sleep(pauseMs);
  }
}

/** The event once it is no longer `accepted`. */
export const settled = (api: Api, eventId: string): Promise<Answer> =>
  eventually(
    async () => (await api.get(`/v1/events/${eventId}`)).body,
    (event) => event.status !== 'accepted',
  );

/** Sends an event and gives the intro it created. */
export async function introOfEvent(api: Api, changes: object = {}): Promise<Answer> {
  const event = await settled(api, (await sendEvent(api, changes)).id);
  expect(event.status).toBe('processed');
  return (await api.get(`/v1/intros/${event.intro}`)).body;
}

export function expectError(
  reply: { status: number; body: Answer },
  status: number,
  code: string,
  field?: string,
): void {
  expect({ status: reply.status, ...reply.body?.error, message: undefined }).toEqual({
    status,
    code,
    message: undefined,
    ...(field !== undefined && { field }),
  });
}
