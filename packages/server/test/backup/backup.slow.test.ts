import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  createApi,
  freePort,
  isLong,
  launchService,
  runForeword,
  type Service,
  sleep,
  startService,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { CREATIONS } from '../robustness/bodies.ts';
import {
  expectAllProcessedOnce,
  expectStored,
  isAcknowledged,
  newSubmission,
  openLedger,
  send,
} from '../robustness/ledger.ts';
import { createIntro, newInstallation, recordIntro, type Source, startSource } from './service.ts';

const SENDERS = 4;
const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

let source: Source;

const parent = temporaryFolder();
const archive = path.join(parent, 'backup.tar');
source = await startSource(parent);
afterAll(async () => {
  await source.service.stop();
});

const files = (): string[] => fs.readdirSync(parent).sort();

/** Runs a command that must fail with one line. */
async function refusal(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runForeword(environment, ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^foreword: [^\n]+\n$/);
  return stderr;
}

/** Runs a command and kills it after a while. */
async function killAfter(ms: number, environment: Record<string, string>, ...args: string[]): Promise<void> {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await sleep(ms);
  child.kill('SIGKILL');
  await exited;
}

async function expectReady(service: Service, key: string, id: string): Promise<void> {
  const api = createApi(service.url, key);
  await expect.poll(async () => (await api.get(`/v1/intros/${id}`)).body.status, { timeout: 150_000 }).toBe('ready');
  const { body } = await api.get(`/v1/intros/${id}`);
  const page = await fetch(service.url + new URL(body.delivery.recipient_url).pathname);
  const [, video = ''] = /src="([^"]*\.mp4)"/.exec(await page.text()) ?? [];
  expect((await fetch(service.url + video)).status).toBe(200);
}

describe('a backup', () => {
  test('made under load contains everything acknowledged before it, and restored elsewhere every link and video works', async () => {
    const { environment, key, api } = source;
    const recorded = await recordIntro(api);
    await expectReady(source.service, key, recorded);
    const open = await createIntro(api);
    const link = new URL((await run(environment, 'intro', 'link', open)).url).pathname;
    const page = new URL((await api.get(`/v1/intros/${recorded}`)).body.delivery.recipient_url).pathname;

    const ledger = openLedger();
    let isOver = false;
    const senders = Array.from({ length: SENDERS }, async (_, index) => {
      while (!isOver) await send(api, ledger, newSubmission(ledger, CREATIONS[index % CREATIONS.length] ?? 'intros'));
    });
    const takes = [await recordIntro(api), await recordIntro(api)];
    await sleep(300);
    const acknowledged = ledger.submissions.filter(isAcknowledged);
    const made = await run(environment, 'backup', archive);
    isOver = true;
    await Promise.all(senders);
    expect(made).toMatchObject({ object: 'backup', file: archive, server_key: true });
    expect(fs.statSync(archive).mode & 0o777).toBe(0o600);
    expect(await run(environment, 'backup', 'verify', archive)).toMatchObject({ valid: true, problems: [] });
    await source.service.kill();

    const target = newInstallation(parent, 'restored');
    await run(target.environment, 'restore', archive);
    expect(fs.existsSync(path.join(target.folder, 'restoring'))).toBe(false);
    const restored = await startService(target.environment);
    try {
      const restoredApi = createApi(restored.url, key);
      expect(acknowledged.length).toBeGreaterThan(0);
      await expectStored(restoredApi, acknowledged);
      expect((await fetch(restored.url + link)).status).toBe(200);
      expect((await fetch(restored.url + page)).status).toBe(200);
      for (const id of [recorded, ...takes]) await expectReady(restored, key, id);
      // An object created during the backup is in it as a whole or not at all.
      const stored = [];
      for (const one of ledger.submissions.filter(isAcknowledged)) {
        const [id] = one.ids;
        const at = one.creation === 'intros' ? `/v1/intros/${id}` : `/v1/events/${id}`;
        if ((await restoredApi.get(at)).status === 200) stored.push(one);
      }
      const others = new Set([recorded, open, ...takes]);
      await expectAllProcessedOnce(restoredApi, { ...ledger, submissions: stored }, 60_000, others);
    } finally {
      await restored.stop();
      source = { ...source, service: await startService(environment) };
    }
  }, 240_000);

  test('is a tar file that others can read', () => {
    const list = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).split('\n');
    expect(list.slice(0, 2)).toEqual(['foreword-backup.json', 'server.key']);
    const folder = path.join(parent, 'unpacked');
    fs.mkdirSync(folder);
    execFileSync('tar', ['-xf', archive, '-C', folder, 'manifest.json', 'manifest.json.sha256', 'objects']);
    execFileSync('sh', ['-c', 'sha256sum --check --quiet manifest.json.sha256'], { cwd: folder });
    expect(fs.readdirSync(path.join(folder, 'objects'))).toHaveLength(1);
    fs.rmSync(folder, { recursive: true });
  });

  test('is refused if a bit changed or its end is missing, and nothing is restored', async () => {
    const size = fs.statSync(archive).size;
    const damaged = path.join(parent, 'damaged.tar');
    const bytes = fs.readFileSync(archive);
    bytes.writeUInt8(bytes.readUInt8(Math.floor(size / 2)) ^ 1, Math.floor(size / 2));
    fs.writeFileSync(damaged, bytes);
    expect(await refusal(source.environment, 'backup', 'verify', damaged)).toMatch(/damaged|cannot use/);
    const target = newInstallation(parent, 'refused');
    for (const length of [0, Math.floor(size / 2)]) {
      fs.copyFileSync(archive, damaged);
      fs.truncateSync(damaged, length);
      expect(await refusal(target.environment, 'restore', damaged)).toMatch(/incomplete|damaged|not a backup/);
      const left = fs.existsSync(target.folder) ? fs.readdirSync(target.folder) : [];
      expect(left.filter((name) => !name.endsWith('.lock') && name !== 'objects')).toEqual([]);
    }
    fs.rmSync(damaged);
  });

  test('that is killed leaves no file with its name, and the next one removes what is left', async () => {
    const file = path.join(parent, 'killed.tar');
    for (const delay of isLong ? [500, 700, 900, 1_100, 3_000] : [700, 1_100]) {
      await killAfter(delay, source.environment, 'backup', file);
      // Unless it had finished, which `verify` tells.
      if (!fs.existsSync(file)) continue;
      expect(await run(source.environment, 'backup', 'verify', file)).toMatchObject({ valid: true });
      fs.rmSync(file);
    }
    await run(source.environment, 'backup', file);
    expect(files().filter((name) => name.includes('partial'))).toEqual([]);
    fs.rmSync(file);
  });

  test('never replaces a file, and says what is missing', async () => {
    const { environment } = source;
    expect(await refusal(environment, 'backup', archive)).toContain('already exists');
    expect(await refusal(environment, 'backup', path.join(parent, 'no/backup.tar'))).toContain('does not exist');
    expect(
      await refusal({ ...environment, SERVER_KEY: '5e'.repeat(32) }, 'backup', path.join(parent, 'x.tar')),
    ).toContain('the server key is not that of this database');
    expect(await refusal({ ...environment, DATABASE_URL: 'postgres://x/y' }, 'backup')).toContain('pg_dump');
    expect(await refusal(newInstallation(parent, 'none').environment, 'backup')).toContain('There is no database');
    expect(files().filter((name) => name.startsWith('x.tar'))).toEqual([]);
  });

  test('without the key is restored only with the same key', async () => {
    const file = path.join(parent, 'keyless.tar');
    await run(source.environment, 'backup', file, '--server-key', 'false');
    expect(execFileSync('tar', ['-tf', file], { encoding: 'utf8' })).not.toContain('server.key');
    const { environment } = newInstallation(parent, 'keyed');
    expect(await refusal(environment, 'restore', file)).toContain('does not contain the server key');
    const wrong = { ...environment, SERVER_KEY: '5e'.repeat(32) };
    expect(await refusal(wrong, 'restore', file)).toContain('not the one that the backup was made with');
    const key = fs.readFileSync(path.join(source.folder, 'server.key'), 'utf8').trim();
    expect(await run({ ...environment, SERVER_KEY: key }, 'restore', file)).toMatchObject({ missing_objects: [] });
  });
});

describe('a restore', () => {
  test('that is killed leaves nothing that starts, and can be repeated', async () => {
    const target = newInstallation(parent, 'interrupted');
    // A link to another disk.
    fs.mkdirSync(`${target.folder}-disk`);
    fs.symlinkSync(`${target.folder}-disk`, target.folder);
    for (const delay of isLong ? [500, 700, 900, 1_200, 1_600] : [700, 1_200]) {
      await killAfter(delay, target.environment, 'restore', archive);
      if (fs.existsSync(path.join(target.folder, 'pg18'))) break;
      if (!fs.existsSync(path.join(target.folder, 'restoring'))) continue;
      const service = launchService({ ...target.environment, PORT: String(await freePort()) });
      expect(await service.exited).toBe(78);
      expect(service.output()).toMatch(/^foreword: a backup is being restored into .* run foreword restore again\n$/);
      expect(fs.existsSync(path.join(target.folder, 'server.key'))).toBe(false);
    }
    // As if it had been killed while it moved everything into place.
    for (const name of ['restoring', 'pg18', 'objects/.restoring', 'objects/org_1/moved']) {
      fs.mkdirSync(path.join(target.folder, name), { recursive: true });
    }
    await run(target.environment, 'restore', archive);
    expect(fs.readdirSync(path.join(target.folder, 'objects'))).not.toContain('org_1');
    const service = await startService(target.environment);
    expect(await service.stop()).toBe(0);
  });

  test('refuses a folder with content, a running service, and another machine or version', async () => {
    const target = newInstallation(parent, 'occupied');
    fs.mkdirSync(target.folder);
    fs.writeFileSync(path.join(target.folder, 'note.txt'), 'mine');
    expect(await refusal(target.environment, 'restore', archive)).toContain('it contains note.txt');
    expect(fs.readFileSync(path.join(target.folder, 'note.txt'), 'utf8')).toBe('mine');
    expect(await refusal(source.environment, 'restore', archive)).toMatch(/in use by a running service|not empty/);
    expect(await refusal(target.environment, 'restore', path.join(parent, 'missing.tar'))).toContain('ENOENT');
  });
});

// biome-ignore lint/suspicious/noExplicitAny: tests read the command's output freely.
async function run(environment: Record<string, string>, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runForeword(environment, ...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
