import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Api, createApi, createTestOrganization, type Service, sleep, startService } from '../harness/index.ts';
import { CREATIONS } from './bodies.ts';
import {
  expectAllProcessedOnce,
  expectKept,
  expectOneIdEach,
  isAcknowledged,
  type Ledger,
  newMoment,
  openLedger,
  send,
} from './ledger.ts';

const CRASHES = 20;
const SENDERS = 16;
const SHORTEST_LOAD_MS = 150;
const LONGEST_LOAD_MS = 900;
const PAUSE_MS = 25;
const REPEAT_PERCENT = 10;
// Every five seconds a worker looks for what a crash left half done; the rest is for a slow machine.
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
    const repeats = ledger.moments.length > 0 && randomInt(100) < REPEAT_PERCENT;
    const earlier = repeats ? ledger.moments[randomInt(ledger.moments.length)] : undefined;
    const creation = CREATIONS[randomInt(CREATIONS.length)] ?? 'intros';
    await send(api, ledger, earlier ?? newMoment(ledger, creation));
    await sleep(randomInt(PAUSE_MS));
  }
}

/** Load, SIGKILL somewhere in it, and a new start on the same folder. */
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

it(`${CRASHES} crashes under load lose nothing that was acknowledged, and make nothing twice`, async () => {
  const ledger = openLedger();
  let cutOff = 0;
  for (let crash = 0; crash < CRASHES; crash++) {
    const first = ledger.moments.length;
    await crashUnderLoad(ledger);
    const sent = ledger.moments.slice(first);
    cutOff += sent.filter((moment) => !isAcknowledged(moment)).length;
    const api = createApi(service.url, apiKey);
    await expectKept(api, sent);
    await expectOneIdEach(api, ledger, sent);
  }
  // Otherwise the crashes came at moments when nothing could have been lost.
  expect(cutOff).toBeGreaterThan(0);
  const api = createApi(service.url, apiKey);
  await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS);
  await expectKept(api, ledger.moments);
}, 240_000);
