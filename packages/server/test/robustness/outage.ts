import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
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

const SENDERS = 4;
const PAUSE_MS = 50;
const PAUSE_AFTER_REFUSAL_MS = 200;
const NOTICED_AFTER_MS = 3_000;
const SETTLED_WITHIN_MS = 60_000;

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

/** Sends under load from before the fault until the service is ready again, and waits for the response to each request. */
async function loadDuring(api: Api, ledger: Ledger, work: () => Promise<void>): Promise<void> {
  let isOver = false;
  const sendMany = async () => {
    while (!isOver) {
      const submission = newSubmission(ledger, CREATIONS[randomInt(CREATIONS.length)] ?? 'intros');
      const isAnswered = await send(api, ledger, submission);
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
}

/** Every kind of request is refused, and says when to try again. */
async function expectRefusals(service: Service, api: Api): Promise<void> {
  for (const request of [
    () => api.get('/v1/intros'),
    () =>
      api.post('/v1/intros', {
        member: { external_id: 'rep_17' },
        recipient: { first_name: 'D', phone: '+14155550123' },
      }),
  ]) {
    const { status, headers, body } = await request();
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '1', 'service_unavailable']);
  }
  for (const path of [`/i/${'a'.repeat(12)}`, `/r/${'a'.repeat(22)}`]) {
    const page = await fetch(service.url + path);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await page.text()).toContain('<meta http-equiv="refresh" content="5">');
  }
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/foreword_database_failing_seconds [\d.]+/);
}

/** The service answers every request during the fault, is ready after it, and has lost and repeated nothing. */
export async function expectSurvives({ service, api, begin, end, seconds }: Outage): Promise<void> {
  const ledger = openLedger();
  await loadDuring(api, ledger, async () => {
    await sleep(1_000);
    await begin();
    // The fault needs a moment to be noticed.
    if (seconds === undefined) await sleep(NOTICED_AFTER_MS);
    else {
      await eventually(
        () => isReady(service),
        (ready) => !ready,
      );
      await expectRefusals(service, api);
      await sleep(seconds * 1_000);
      await end();
    }
    await eventually(() => isReady(service));
    const acknowledged = () => ledger.submissions.filter(isAcknowledged).length;
    const before = acknowledged();
    await eventually(() => acknowledged() > before + SENDERS);
  });
  expect(ledger.problems).toEqual([]);
  expect(ledger.submissions.some((submission) => !isAcknowledged(submission))).toBe(true);
  await expectStored(api, ledger.submissions);
  // Refused requests, and those whose outcome was unknown, are repeated with their keys.
  await expectOneIdEach(api, ledger, ledger.submissions);
  await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS);
}
