import { expect } from 'vitest';
import { type Api, sleep } from '../harness/index.ts';
import type { Creation, JsonObject } from './bodies.ts';

const AT_ONCE = 16;
const LOOK_AGAIN_MS = 500;
const PAGE = 100;
const SUCCESS: Record<Creation, number> = { 'touchpoint-events': 202, intros: 201 };

/** One moment of the caller's business, however often it was sent. */
export interface Moment {
  readonly key: string;
  readonly creation: Creation;
  readonly body: JsonObject;
  /** Every id that any answer gave for it; more than one is a broken promise. */
  readonly ids: Set<string>;
}

/** What a careful client would write down: all that it sent and all that it was told. */
export interface Ledger {
  readonly moments: Moment[];
  /** Answers that no client should ever get. */
  readonly problems: string[];
}

export const openLedger = (): Ledger => ({ moments: [], problems: [] });

export function newMoment(ledger: Ledger, creation: Creation): Moment {
  const key = `crm:${ledger.moments.length}:${creation}`;
  const body: JsonObject = {
    ...(creation === 'touchpoint-events' && { touchpoint: 'on_my_way', occurred_at: '2026-03-10T09:15:00Z' }),
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
    reference: { id: key },
  };
  const moment: Moment = { key, creation, body, ids: new Set() };
  ledger.moments.push(moment);
  return moment;
}

/** True when it was acknowledged. A connection that breaks, or a service that is going, leaves the matter open. */
export async function send(api: Api, ledger: Ledger, moment: Moment): Promise<boolean> {
  const { creation, key, body, ids } = moment;
  const reply = await api.post(`/v1/${creation}`, body, { key }).catch(() => undefined);
  if (reply === undefined || reply.status === 503 || reply.body === undefined) return false;
  if (reply.status === SUCCESS[creation]) ids.add(reply.body.id);
  else ledger.problems.push(`${key}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return true;
}

export const isAcknowledged = ({ ids }: Moment): boolean => ids.size > 0;

/** A few at a time, as a client would. */
export async function forEachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const pathOf = ({ creation, ids }: Moment): string => {
  const [id] = ids;
  return creation === 'intros' ? `/v1/intros/${id}` : `/v1/events/${id}`;
};

/** Everything that was acknowledged is there. */
export async function expectKept(api: Api, moments: readonly Moment[]): Promise<void> {
  const lost: string[] = [];
  await forEachOf(moments.filter(isAcknowledged), async (moment) => {
    const { status, body } = await api.get(pathOf(moment));
    if (status !== 200 || body.reference?.id !== moment.key) lost.push(`${moment.key}: ${status}`);
  });
  expect(lost).toEqual([]);
}

/** Sends all of them again: no moment may ever have had two ids. */
export async function expectOneIdEach(api: Api, ledger: Ledger, moments: readonly Moment[]): Promise<void> {
  await forEachOf(moments, async (moment) => {
    if (!(await send(api, ledger, moment))) ledger.problems.push(`${moment.key}: no answer to a repeat`);
  });
  expect(ledger.problems).toEqual([]);
  expect(moments.filter(({ ids }) => ids.size !== 1)).toEqual([]);
}

async function listIntros(api: Api): Promise<{ id: string; reference: { id: string } }[]> {
  const all: { id: string; reference: { id: string } }[] = [];
  for (let hasMore = true; hasMore; ) {
    const last = all.at(-1);
    const { body } = await api.get(`/v1/intros?limit=${PAGE}${last === undefined ? '' : `&starting_after=${last.id}`}`);
    all.push(...body.data);
    hasMore = body.has_more;
  }
  return all;
}

/** Waits until no event is still accepted, then compares: for each moment exactly one intro, and events know theirs. */
export async function expectAllProcessedOnce(api: Api, ledger: Ledger, withinMs: number): Promise<void> {
  const introByKey = new Map<string, string>();
  let waiting = ledger.moments.filter(isAcknowledged);
  const failed: string[] = [];
  for (const startedMs = performance.now(); waiting.length > 0; await sleep(LOOK_AGAIN_MS)) {
    const open: Moment[] = [];
    await forEachOf(waiting, async (moment) => {
      const { body } = await api.get(pathOf(moment));
      if (body.status === 'accepted') open.push(moment);
      else if (moment.creation === 'intros') introByKey.set(moment.key, body.id);
      else if (body.status === 'processed') introByKey.set(moment.key, body.intro);
      else failed.push(`${moment.key}: ${JSON.stringify(body)}`);
    });
    waiting = open;
    if (performance.now() - startedMs > withinMs) break;
  }
  expect(waiting.map(({ key }) => key)).toEqual([]);
  expect(failed).toEqual([]);
  const intros = await listIntros(api);
  const listed = intros.map(({ id, reference }) => [reference.id, id]).sort();
  expect(listed).toEqual([...introByKey].sort());
}
