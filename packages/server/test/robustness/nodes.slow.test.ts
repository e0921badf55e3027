import { randomBytes, randomInt } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import {
  asAdministrator,
  createApi,
  createTestOrganization,
  databaseUrl,
  sleep,
  startService,
} from '../harness/index.ts';
import { CREATIONS } from './bodies.ts';
import {
  expectAllProcessedOnce,
  expectOneIdEach,
  expectStored,
  forEachOf,
  isAcknowledged,
  type Ledger,
  newSubmission,
  openLedger,
  send,
} from './ledger.ts';

const SHARED_KEYS = 100;
const SENDERS = 8;
const LOAD_MS = 3_000;
const PAUSE_MS = 20;
// Events of a killed worker are picked up half a minute after they were accepted.
const SETTLED_WITHIN_MS = 50_000;

const name = `nodes_${randomBytes(6).toString('hex')}`;
const ledger: Ledger = openLedger();

await asAdministrator(`create database ${name}`);
const url = databaseUrl(inject('socketDir'), name);
const environment = { DATABASE_URL: url, RATE_LIMIT: 'off', FOREWORD_DEMO: 'off', LOG_LEVEL: 'warn' };
const start = (role: string) => startService({ ...environment, FOREWORD_ROLE: role });
const [a, b, c, d] = await Promise.all([start('api'), start('api'), start('worker'), start('worker')]);
const nodes = { apis: [a, b] as const, workers: [c, d] as const };
const acme = await createTestOrganization(environment, a.url);
const apis = [createApi(a.url, acme.key), createApi(b.url, acme.key)] as const;

afterAll(async () => {
  await Promise.all([...(nodes?.apis ?? []), ...(nodes?.workers ?? [])].map((node) => node.stop()));
  await asAdministrator(`drop database if exists ${name} with (force)`);
});

test('a node without the api role serves no API operations', async () => {
  const [worker] = nodes.workers;
  const reply = await createApi(worker.url, acme.key).get('/v1/touchpoints');
  expect([reply.status, reply.body?.error?.code]).toEqual([404, 'not_found']);
});

test('one idempotency key sent to both nodes at once creates one object, and both return its id', async () => {
  const submissions = Array.from({ length: SHARED_KEYS }, (_, i) =>
    newSubmission(ledger, CREATIONS[i % 2] ?? 'intros'),
  );
  await forEachOf(submissions, async (submission) => {
    const acknowledged = await Promise.all([...apis, ...apis].map((api) => send(api, ledger, submission)));
    expect(acknowledged).toEqual([true, true, true, true]);
  });
  expect(ledger.problems).toEqual([]);
  expect(submissions.filter(({ ids }) => ids.size !== 1)).toEqual([]);
  await expectAllProcessedOnce(apis[0], ledger, SETTLED_WITHIN_MS);
});

/** Retries each submission with the same key at the other node. */
async function sendUntil(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const submission = newSubmission(ledger, CREATIONS[randomInt(CREATIONS.length)] ?? 'intros');
    const [first, second] = randomInt(2) === 0 ? apis : [apis[1], apis[0]];
    if (randomInt(5) === 0) await Promise.all([send(first, ledger, submission), send(second, ledger, submission)]);
    else if (!(await send(first, ledger, submission))) await send(second, ledger, submission);
    await sleep(randomInt(PAUSE_MS));
  }
}

test('killing one API node and one worker under load loses nothing, and everything is processed once', async () => {
  let over = false;
  const first = ledger.submissions.length;
  const senders = Array.from({ length: SENDERS }, () => sendUntil(() => over));
  await sleep(LOAD_MS / 3);
  const killed = ledger.submissions.length;
  await Promise.all([nodes.apis[1].kill(), sleep(randomInt(200)).then(() => nodes.workers[1].kill())]);
  await sleep((LOAD_MS * 2) / 3);
  over = true;
  await Promise.all(senders);
  expect(killed).toBeGreaterThan(first);
  expect(ledger.submissions.length).toBeGreaterThan(killed);
  expect(ledger.problems).toEqual([]);
  expect(ledger.submissions.filter((submission) => !isAcknowledged(submission))).toEqual([]);
  await expectStored(apis[0], ledger.submissions);
  await expectOneIdEach(apis[0], ledger, ledger.submissions);
  await expectAllProcessedOnce(apis[0], ledger, SETTLED_WITHIN_MS);
});
