import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createIntro, newInstallation, startSource } from '../backup/service.ts';
import { makePng } from '../cli/picture-maker.ts';
import { createApi, foreword, freePort, sleep, startService } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const SERVER_KEY = 'c4'.repeat(32);
const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');
/** While the command starts, reads or writes; the last one may have finished. */
const KILL_AFTER_MS = [700, 1_500];

const parent = temporaryFolder();

async function killAfter(ms: number, environment: Record<string, string>, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...process.env, ...environment }, stdio: 'ignore' });
  const ended = once(child, 'close');
  await Promise.race([sleep(ms), ended]);
  child.kill('SIGKILL');
  await ended;
}

/** The files below the folder, without those that an object store has not finished. */
const listFiles = (folder: string): string[] =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('.tmp'))
        .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    : [];

test('an export and an import that are killed can be repeated, and every link and key works elsewhere', async () => {
  const source = await startSource(parent, { SERVER_KEY });
  const { api, key, environment } = source;
  const picture = path.join(parent, 'logo.png');
  fs.writeFileSync(picture, makePng({ width: 64, height: 64 }, [44, 102, 82], [250, 248, 244]));
  const [organization] = (await foreword(environment, 'org', 'list')).data;
  await foreword(environment, 'org', 'set', organization.id, '--logo', picture);
  const intro = await createIntro(api);
  const recorder = new URL((await foreword(environment, 'intro', 'link', intro)).url).pathname;

  const archive = path.join(parent, 'organization.tar');
  for (const ms of KILL_AFTER_MS) await killAfter(ms, environment, 'export', '--to', archive);
  if (!fs.existsSync(archive)) await foreword(environment, 'export', '--to', archive);
  expect(fs.readdirSync(parent).filter((name) => name.includes('partial'))).toEqual([]);
  await source.service.stop();

  const installation = newInstallation(parent, 'target', { SERVER_KEY });
  const target = await startService({ ...installation.environment, PORT: String(await freePort()) });
  try {
    const readIntros = () => createApi(target.url, key).get('/v1/intros');
    for (const ms of KILL_AFTER_MS) {
      await killAfter(ms, installation.environment, 'import', archive);
      const { status, body } = await readIntros();
      // All of it or nothing.
      expect([401, 200]).toContain(status);
      if (status === 200) expect(body.data.map(({ id }: { id: string }) => id)).toEqual([intro]);
    }
    if ((await readIntros()).status === 401) await foreword(installation.environment, 'import', archive);
    expect((await readIntros()).body.data).toHaveLength(1);
    expect((await fetch(target.url + recorder)).status).toBe(200);
    const objects = (folder: string) => listFiles(path.join(folder, 'objects'));
    expect(objects(installation.folder)).toEqual(objects(source.folder));
    expect(objects(installation.folder)).toHaveLength(1);
    const { data } = await foreword(installation.environment, 'message', 'list');
    expect(data.filter(({ status }: { status: string }) => ['scheduled', 'sending'].includes(status))).toEqual([]);
  } finally {
    await target.stop();
  }
});
