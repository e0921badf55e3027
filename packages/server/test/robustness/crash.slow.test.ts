import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRunningPostgres } from '../../src/db/embedded-postgres/index.ts';
import { firstServerKey, toServerKey } from '../../src/platform/server-key.ts';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import {
  type Api,
  createApi,
  createTestOrganization,
  foreword,
  freePort,
  isLong,
  launchService,
  type Service,
  sleep,
} from '../harness/index.ts';
import { rowsOf } from '../platform/embedded-postgres.harness.ts';
import { type Kill, killNow, planKills } from './kills.ts';
import {
  expectAllProcessedOnce,
  expectOneIdEach,
  expectStored,
  isAcknowledged,
  type Ledger,
  openLedger,
  sendDuring,
} from './ledger.ts';
import { expectEachSentOnce, openRecorders } from './recorders.ts';

const KILLS = isLong ? 100 : 4;
const MEMBERS = 4;
const KILLS_OF_FIRST_STARTS = isLong ? 6 : 1;
const KILLS_OF_CONTAINERS = isLong ? 10 : 1;
/** More than the pids that the service uses before its database starts. */
const UNRELATED = 200;
/** The user of the database when the service runs as root. */
const UNPRIVILEGED_UID = 65534;
const LONGEST_MOMENT_MS = 500;
const REPEAT_PERCENT = 10;
// Workers look for unfinished work every five seconds; the rest is for a slow machine.
const SETTLED_WITHIN_MS = 60_000;
/** A pause between two takes of a member: the machine also has to encode them. */
const TAKE_PAUSE_MS = 2_000;
/** A text that was being sent during a kill is looked up after a minute; a busy machine takes seconds to encode a take. */
const SENT_WITHIN_MS = 90_000;
const ENCODED_WITHIN_MS = 10_000;
/** Repeats the plan of a failed run. */
const seed = Number(process.env.FOREWORD_TEST_SEED ?? randomInt(2 ** 31));
console.log(`FOREWORD_TEST_SEED=${seed}`);

let dataDir: string;
let temporary: string;
let environment: Record<string, string> & { PORT: string };
let service: Service;
/** Kills during a start happen within this time. */
let lastStartMs = 0;

beforeEach(async () => {
  dataDir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-crash-')));
  // For the user of the database.
  fs.chmodSync(dataDir, 0o755);
  // Nothing else uses these folders, so that what is left in them can be seen.
  temporary = path.join(dataDir, 'temporary');
  fs.mkdirSync(temporary);
  environment = {
    DATA_DIR: path.join(dataDir, 'data'),
    TMPDIR: temporary,
    SERVER_KEY: '',
    OBJECTS_URL: '',
    PORT: String(await freePort()),
    RATE_LIMIT: 'off',
    FOREWORD_DEMO: 'off',
    LOG_LEVEL: 'warn',
  };
});

afterEach(async () => {
  await killNow(service.pid, dataDir, 'everything');
  fs.rmSync(dataDir, { recursive: true, force: true });
});

/** The one start after a kill. */
async function start(wrapper: readonly string[] = []): Promise<void> {
  const startedMs = performance.now();
  const launched = launchService(environment, { wrapper });
  service = launched;
  await launched.ready;
  lastStartMs = performance.now() - startedMs;
}

async function reach(moment: Kill['moment'], progress: number): Promise<void> {
  if (moment === 'while starting') {
    await killNow(service.pid, dataDir, 'everything');
    service = launchService(environment);
    await sleep(progress * lastStartMs);
    return;
  }
  if (moment === 'while stopping') {
    await sleep(LONGEST_MOMENT_MS / 2);
    void service.stop();
  }
  await sleep(progress * LONGEST_MOMENT_MS);
}

async function killAndStart(kill: Kill, api: Api, ledger: Ledger): Promise<void> {
  const killThere = async () => {
    await reach(kill.moment, kill.progress);
    await killNow(service.pid, dataDir, kill.victim);
  };
  await (kill.moment === 'idle' ? killThere() : sendDuring(api, ledger, killThere, REPEAT_PERCENT));
  await service.exited;
  await start();
}

/**
 * Runs the service in its own PID namespace, next to this many unrelated processes with the lowest pids. They run as the
 * database's user: PostgreSQL ignores the pid of a process that it may not signal.
 */
function inContainer(unrelated: number): string[] {
  const isRoot = process.getuid?.() === 0;
  const namespace = isRoot ? [] : ['--user', '--map-current-user'];
  const account = isRoot ? `setpriv --reuid=${UNPRIVILEGED_UID} --regid=${UNPRIVILEGED_UID} --clear-groups` : '';
  const others = `i=0; while [ $i -lt ${unrelated} ]; do sleep 600 >/dev/null 2>&1 & i=$((i+1)); done`;
  const script = `${account} sh -c '${others}'; exec "$@"`;
  return ['unshare', ...namespace, '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc', 'sh', '-c', script, 'sh'];
}

async function countTakes(): Promise<string> {
  const connection = await findRunningPostgres(path.join(dataDir, 'data'));
  if (connection === null) return 'the database is not running';
  const counts = await rowsOf(
    connection,
    `select status || ' ' || coalesce(refusal_code, '') || ' ' || count(*) from recordings group by status, refusal_code`,
  );
  return counts.join(', ');
}

/** Everything in the folders for files in progress. */
const temporaryFiles = (): string[] =>
  [temporary, path.join(dataDir, 'data/work'), path.join(dataDir, 'data/objects/.tmp')].flatMap((folder) =>
    fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [],
  );

async function killRepeatedly(api: Api, ledger: Ledger): Promise<void> {
  for (const [index, kill] of planKills(seed, KILLS).entries()) {
    const first = ledger.submissions.length;
    try {
      await killAndStart(kill, api, ledger);
      await expectStored(api, ledger.submissions.slice(first));
    } catch (cause) {
      const what = `${kill.victim}, ${kill.moment}, at ${kill.progress.toFixed(3)}`;
      throw new Error(`kill ${index + 1} (${what}), FOREWORD_TEST_SEED=${seed}`, { cause });
    }
  }
}

test(
  `after each of ${KILLS} kills at a random moment, one start succeeds, and no event, intro, take or text is lost or repeated`,
  async () => {
    const carrier = await startHttpService();
    environment = { ...environment, SMS_CARRIER: 'http', SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET };
    await start();
    const { key, id } = await createTestOrganization(environment, service.url);
    await foreword(environment, 'delivery', 'set', '--org', id, '--texts-from', '00:00', '--texts-until', '24:00');
    const api = createApi(service.url, key);
    const ledger = openLedger();
    const recorders = openRecorders(api, {
      url: service.url,
      serverKey: toServerKey(firstServerKey({ dataDir: path.join(dataDir, 'data'), given: [] })),
      pauseMs: TAKE_PAUSE_MS,
    });
    recorders.start(MEMBERS);
    await killRepeatedly(api, ledger);
    await recorders.stop();
    // Otherwise no kill happened while something could have been lost.
    expect(ledger.submissions.filter((submission) => !isAcknowledged(submission)).length).toBeGreaterThan(0);
    expect(recorders.takes.length).toBeGreaterThan(KILLS / 10);
    await expectOneIdEach(api, ledger, ledger.submissions);
    const intros = new Set(recorders.takes.map(({ intro }) => intro));
    await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS, intros);
    await expectStored(api, ledger.submissions);
    const limitMs = SENT_WITHIN_MS + recorders.takes.length * ENCODED_WITHIN_MS;
    await expectEachSentOnce(api, service.url, recorders.takes, carrier.accepted, limitMs).catch(async (cause) => {
      throw new Error(`takes by state: ${await countTakes()}`, { cause });
    });
    await expect.poll(temporaryFiles).toEqual([]);
    await carrier.close();
  },
  SENT_WITHIN_MS + KILLS * 60_000,
);

test(`after each kill during the first start (${KILLS_OF_FIRST_STARTS}), one start creates the database and exactly one demo organization`, async () => {
  environment = { ...environment, FOREWORD_DEMO: 'on' };
  await start();
  const firstStartMs = lastStartMs;
  const data = path.join(dataDir, 'data');
  for (const { progress } of planKills(seed, KILLS_OF_FIRST_STARTS)) {
    await killNow(service.pid, dataDir, 'everything');
    fs.rmSync(data, { recursive: true, force: true });
    service = launchService(environment);
    await sleep(progress * firstStartMs);
    await killNow(service.pid, dataDir, 'everything');
    await start().catch((cause) => {
      throw new Error(`killed at ${progress.toFixed(3)} of the first start, FOREWORD_TEST_SEED=${seed}`, { cause });
    });
    // The demo is created once the service listens.
    await expect.poll(async () => (await foreword(environment, 'org', 'list')).data.length).toBeGreaterThan(0);
    expect((await foreword(environment, 'org', 'list')).data).toHaveLength(1);
    expect(fs.readdirSync(data).filter((entry) => entry.includes('initdb'))).toEqual([]);
  }
}, 300_000);

test(`a container starts again after each kill (${KILLS_OF_CONTAINERS}), even when a stale lock file names a running process`, async () => {
  await start(inContainer(0));
  const lock = path.join(dataDir, 'data/run/.s.PGSQL.5432.lock');
  const { key } = await createTestOrganization(environment, service.url);
  const api = createApi(service.url, key);
  const ledger = openLedger();
  for (let count = 1; count <= KILLS_OF_CONTAINERS; count++) {
    const kill = async () => {
      await sleep(randomInt(LONGEST_MOMENT_MS));
      // Ends the namespace, and with it every process inside.
      await service.kill();
    };
    await sendDuring(api, ledger, kill, REPEAT_PERCENT);
    const isAlone = count % 2 === 0;
    // Otherwise this pid would be free in the next container.
    if (!isAlone) expect(Number.parseInt(fs.readFileSync(lock, 'utf8'), 10)).toBeLessThan(UNRELATED);
    await start(inContainer(isAlone ? 0 : UNRELATED));
  }
  await expectOneIdEach(api, ledger, ledger.submissions);
  await expectAllProcessedOnce(api, ledger, SETTLED_WITHIN_MS);
}, 300_000);
