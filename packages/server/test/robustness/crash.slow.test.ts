import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi, createTestOrganization, type Service, sleep, startService } from '../harness/index.ts';
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

const CRASHES = 20;
const SENDERS = 16;
const SHORTEST_LOAD_MS = 150;
const LONGEST_LOAD_MS = 900;
const PAUSE_MS = 25;
const REPEAT_PERCENT = 10;
// Workers look for unfinished work every five seconds; the rest is for a slow machine.
const SETTLED_WITHIN_MS = 30_000;

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-crash-'));
const environment = { DATA_DIR: dataDir, RATE_LIMIT: 'off', FOREWORD_DEMO: 'off', LOG_LEVEL: 'warn' };
let service: Service;
let apiKey: string;

beforeAll(async () => {
  service = await startService(environment);
  apiKey = (await createTestOrganization(environment, service.url)).key;
});

afterAll(async () => {
  await service?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function sendUntil(api: Api, ledger: Ledger, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const repeats = ledger.submissions.length > 0 && randomInt(100) < REPEAT_PERCENT;
    const earlier = repeats ? ledger.submissions[randomInt(ledger.submissions.length)] : undefined;
    const creation = CREATIONS[randomInt(CREATIONS.length)] ?? 'intros';
    await send(api, ledger, earlier ?? newSubmission(ledger, creation));
    await sleep(randomInt(PAUSE_MS));
  }
}

/** Kills the service under load, and restarts it on the same folder. */
async function crashUnderLoad(ledger: Ledger): Promise<void> {
  let over = false;
  const api = createApi(service.url, apiKey);
  const senders = Array.from({ length: SENDERS }, () => sendUntil(api, ledger, () => over));
  await sleep(randomInt(SHORTEST_LOAD_MS, LONGEST_LOAD_MS));
  await service.kill();
  over = true;
  await Promise.all(senders);
  service = await startService(environment);
}

test(`${CRASHES} crashes under load lose nothing that was acknowledged, and create nothing twice`, async () => {
  const ledger = openLedger();
  let cutOff = 0;
  for (let crash = 0; crash < CRASHES; crash++) {
    const first = ledger.submissions.length;
    await crashUnderLoad(ledger);
    const sent = ledger.submissions.slice(first);
    cutOff += sent.filter((submission) => !isAcknowledged(submission)).length;
    const api = createApi(service.url, apiKey);
    await expectStored(api, sent);
    await expectOneIdEach(api, ledger, sent);
  }
  // Otherwise no crash happened while something could have been lost.
  expect(cutOff).toBeGreaterThan(0);
  const api = createApi(service.url, apiKey);
  await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS);
  await expectStored(api, ledger.submissions);
}, 240_000);
