import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { type Api, type Service, sleep } from '../harness/index.ts';
import { CREATIONS } from './bodies.ts';
import {
  expectAllProcessedOnce,
  expectOneIdEach,
  expectStored,
  isAcknowledged,
  type Ledger,
  newSubmission,
  openLedger,
  send,
} from './ledger.ts';

const SENDERS = 8;
const PAUSE_MS = 25;
const PAUSE_AFTER_REFUSAL_MS = 200;
const ANSWERED_WITHIN_MS = 3_000;
/** Once the fault is known. Generous for a busy machine, and far below the time that a request would wait. */
const REFUSED_WITHIN_MS = 500;
const READY_WITHIN_MS = 5_000;
const SETTLED_WITHIN_MS = 30_000;

export interface Outage {
  readonly service: Service;
  readonly api: Api;
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
  /** Undefined: new connections work all the time. */
  readonly seconds: number | undefined;
}

async function isReady(service: Service): Promise<boolean> {
  return (await fetch(`${service.url}/readyz`)).status === 200;
}

/** Sends under load from before the fault until the service is ready again. Returns how long each request took. */
async function loadDuring(api: Api, ledger: Ledger, work: () => Promise<void>): Promise<number[]> {
  const timesMs: number[] = [];
  let isOver = false;
  const sendMany = async () => {
    while (!isOver) {
      const startedMs = performance.now();
      const submission = newSubmission(ledger, CREATIONS[randomInt(CREATIONS.length)] ?? 'intros');
      const isAnswered = await send(api, ledger, submission);
      timesMs.push(performance.now() - startedMs);
      await sleep(isAnswered ? randomInt(PAUSE_MS) : PAUSE_AFTER_REFUSAL_MS);
    }
  };
  const senders = Array.from({ length: SENDERS }, sendMany);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(senders);
  }
  return timesMs;
}

/** Every kind of request is refused at once, and says when to try again. */
async function expectRefusals(service: Service, api: Api): Promise<void> {
  for (const request of [
    () => api.get('/v1/intros'),
    () =>
      api.post('/v1/intros', {
        member: { external_id: 'rep_17' },
        recipient: { first_name: 'D', phone: '+14155550123' },
      }),
  ]) {
    const startedMs = performance.now();
    const { status, headers, body } = await request();
    expect(performance.now() - startedMs).toBeLessThan(REFUSED_WITHIN_MS);
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '1', 'service_unavailable']);
  }
  for (const path of [`/i/${'a'.repeat(12)}`, `/r/${'a'.repeat(22)}`]) {
    const page = await fetch(service.url + path);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await page.text()).toContain('<meta http-equiv="refresh" content="5">');
  }
  expect(await isReady(service)).toBe(false);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/foreword_database_failing_seconds [\d.]+/);
}

/** The service answers every request in time, is ready soon after the fault, and has lost and repeated nothing. */
export async function expectSurvives({ service, api, begin, end, seconds }: Outage): Promise<void> {
  const ledger = openLedger();
  const timesMs = await loadDuring(api, ledger, async () => {
    await sleep(1_000);
    await begin();
    if (seconds !== undefined) {
      await sleep(ANSWERED_WITHIN_MS);
      await expectRefusals(service, api);
      await sleep(seconds * 1_000 - ANSWERED_WITHIN_MS);
      await end();
    }
    const endedMs = performance.now();
    // The fault needs a moment to be noticed.
    if (seconds === undefined) await sleep(ANSWERED_WITHIN_MS);
    await expect.poll(() => isReady(service), { timeout: READY_WITHIN_MS }).toBe(true);
    expect(performance.now() - endedMs).toBeLessThan(READY_WITHIN_MS);
    const acknowledged = () => ledger.submissions.filter(isAcknowledged).length;
    const before = acknowledged();
    await expect.poll(acknowledged).toBeGreaterThan(before + SENDERS);
  });
  expect(Math.max(...timesMs)).toBeLessThan(ANSWERED_WITHIN_MS);
  expect(ledger.problems).toEqual([]);
  expect(ledger.submissions.some((submission) => !isAcknowledged(submission))).toBe(true);
  await expectStored(api, ledger.submissions);
  // Refused requests, and those whose outcome was unknown, are repeated with their keys.
  await expectOneIdEach(api, ledger, ledger.submissions);
  await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS);
}
