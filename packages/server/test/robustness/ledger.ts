import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { type Api, sleep } from '../harness/index.ts';
import { CREATIONS, type Creation, type JsonObject } from './bodies.ts';

const CONCURRENCY = 16;
/** Clients that send at the same time. */
export const SENDERS = 4;
const PAUSE_MS = 50;
const PAUSE_AFTER_FAILURE_MS = 200;
const POLL_MS = 500;
const PAGE = 100;
const SUCCESS: Record<Creation, number> = { 'touchpoint-events': 202, intros: 201 };

/** One event or intro that the client wants to create, however often it is sent. */
export interface Submission {
  readonly key: string;
  readonly creation: Creation;
  readonly body: JsonObject;
  /** Every id in a response to it; more than one is a bug. */
  readonly ids: Set<string>;
}

/** Everything that the client sent, and every response. */
export interface Ledger {
  readonly submissions: Submission[];
  /** Responses that no client should ever get. */
  readonly problems: string[];
}

export const openLedger = (): Ledger => ({ submissions: [], problems: [] });

export function newSubmission(ledger: Ledger, creation: Creation): Submission {
  const key = `crm:${ledger.submissions.length}:${creation}`;
  const body: JsonObject = {
    ...(creation === 'touchpoint-events' && { touchpoint: 'on_my_way', occurred_at: '2026-03-10T09:15:00Z' }),
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
    reference: { id: key },
  };
  const submission: Submission = { key, creation, body, ids: new Set() };
  ledger.submissions.push(submission);
  return submission;
}

/** False if it is unknown whether the request succeeded: the connection broke, or the service was shutting down. */
export async function send(api: Api, ledger: Ledger, submission: Submission): Promise<boolean> {
  const { creation, key, body, ids } = submission;
  const reply = await api.post(`/v1/${creation}`, body, { key }).catch(() => undefined);
  if (reply === undefined || reply.status === 503 || reply.body === undefined) return false;
  if (reply.status === SUCCESS[creation]) ids.add(reply.body.id);
  else ledger.problems.push(`${key}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return true;
}

export const isAcknowledged = ({ ids }: Submission): boolean => ids.size > 0;

/** Sends during the work, this many percent with the key of an earlier request, and waits for the response to each. */
export async function sendDuring(
  api: Api,
  ledger: Ledger,
  work: () => Promise<void>,
  repeatPercent = 0,
): Promise<void> {
  let isOver = false;
  const sendMany = async () => {
    while (!isOver) {
      const repeats = ledger.submissions.length > 0 && randomInt(100) < repeatPercent;
      const earlier = repeats ? ledger.submissions[randomInt(ledger.submissions.length)] : undefined;
      const creation = CREATIONS[randomInt(CREATIONS.length)] ?? 'intros';
      const isAnswered = await send(api, ledger, earlier ?? newSubmission(ledger, creation));
      await sleep(isAnswered ? randomInt(PAUSE_MS) : PAUSE_AFTER_FAILURE_MS);
    }
  };
  const senders = Array.from({ length: SENDERS }, sendMany);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(senders);
  }
}

export async function forEachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

const pathOf = ({ creation, ids }: Submission): string => {
  const [id] = ids;
  return creation === 'intros' ? `/v1/intros/${id}` : `/v1/events/${id}`;
};

/** Checks that everything acknowledged is stored. */
export async function expectStored(api: Api, submissions: readonly Submission[]): Promise<void> {
  const lost: string[] = [];
  await forEachOf(submissions.filter(isAcknowledged), async (submission) => {
    const { status, body } = await api.get(pathOf(submission));
    if (status !== 200 || body.reference?.id !== submission.key) lost.push(`${submission.key}: ${status}`);
  });
  expect(lost).toEqual([]);
}

/** Sends all of them again, and checks that none ever had two ids. */
export async function expectOneIdEach(api: Api, ledger: Ledger, submissions: readonly Submission[]): Promise<void> {
  await forEachOf(submissions, async (submission) => {
    if (!(await send(api, ledger, submission))) ledger.problems.push(`${submission.key}: no response to a repeat`);
  });
  expect(ledger.problems).toEqual([]);
  expect(submissions.filter(({ ids }) => ids.size !== 1)).toEqual([]);
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

/** Waits until every event is processed, then checks that each submission has exactly one intro. Ignores `others`. */
export async function expectAllProcessedOnce(
  api: Api,
  ledger: Ledger,
  withinMs: number,
  others: ReadonlySet<string | undefined> = new Set(),
): Promise<void> {
  const introByKey = new Map<string, string>();
  let waiting = ledger.submissions.filter(isAcknowledged);
  const failed: string[] = [];
  for (const startedMs = performance.now(); waiting.length > 0; await sleep(POLL_MS)) {
    const open: Submission[] = [];
    await forEachOf(waiting, async (submission) => {
      const { body } = await api.get(pathOf(submission));
      if (body.status === 'accepted') open.push(submission);
      else if (submission.creation === 'intros') introByKey.set(submission.key, body.id);
      else if (body.status === 'processed') introByKey.set(submission.key, body.intro);
      else failed.push(`${submission.key}: ${JSON.stringify(body)}`);
    });
    waiting = open;
    if (performance.now() - startedMs > withinMs) break;
  }
  expect(waiting.map(({ key }) => key)).toEqual([]);
  expect(failed).toEqual([]);
  const intros = (await listIntros(api)).filter(({ id }) => !others.has(id));
  const listed = intros.map(({ id, reference }) => [reference.id, id]).sort();
  expect(listed).toEqual([...introByKey].sort());
}
