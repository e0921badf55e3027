import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createIntro, eventually, sendEvent } from '../acceptance/support/actions.ts';
import { openConsole } from '../console/console-client.ts';
import { foreword, forFile, isLong, openService, type Service, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { openInstallation, readFiles, rowsOf } from './support.ts';

const INTROS = 40;
/** More than the buffers of a connection hold, so that the download is still running when its node dies. */
const VIDEO_BYTES = 24 * 1024 * 1024;
const KILLS = isLong ? 3 : 1;

const folder = temporaryFolder();
const objects = path.join(folder, 'objects');
const settings = { OBJECTS_URL: pathToFileURL(objects).href };

fs.mkdirSync(objects);
const fixture = await forFile(openService(settings));
const owner = ['--first-name', 'Olive', '--last-name', 'Stone', '--email', 'olive@acme.example', '--role', 'owner'];
await fixture.run('member', 'create', '--org', fixture.organization.id, ...owner);

/** Downloads until `bytes` have arrived, or all of it. */
async function download(node: Service, cookie: string, file: string, bytes = Number.POSITIVE_INFINITY) {
  const response = await fetch(`${node.url}/console/export/organization.tar`, { headers: { cookie } });
  expect(response.status).toBe(200);
  const out = fs.createWriteStream(file);
  const reader = response.body?.getReader();
  let received = 0;
  while (reader !== undefined && received < bytes) {
    const { done, value } = await reader.read();
    if (done) break;
    received += value.length;
    out.write(value);
  }
  return {
    /** Reads the rest; rejects if the node ended before it was sent. */
    async finish(): Promise<void> {
      while (reader !== undefined) {
        const { done, value } = await reader.read();
        if (done) break;
        out.write(value);
      }
    },
    close: () => new Promise<void>((resolve) => void out.end(resolve)),
  };
}

test('a download whose node is killed is no archive, and the other node writes a complete one at once', async () => {
  const { api, organization, database } = fixture;
  const created: string[] = [];
  for (let n = 0; n < INTROS; n++) created.push((await createIntro(api)).id);
  const take = `rec_${'2'.repeat(26)}`;
  const file = path.join(objects, organization.id, take, 'video.mp4');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.alloc(VIDEO_BYTES, 7));
  await database.query(
    `insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, parts, bytes, created_at,
       touched_at, received_at, ready_at)
     values ($1, 'test', $2, $3, $5, 'ready', 'video/mp4', '{0-11}', $4, now(), now(), now(), now())`,
    [organization.id, take, created[0], VIDEO_BYTES, organization.memberId],
  );
  await database.query('update intros set recording_id = $2 where id = $1', [created[0], take]);

  let isSending = true;
  const sending = (async () => {
    while (isSending) await sendEvent(api);
  })();
  const who = { org: organization.id, email: 'olive@acme.example' };
  const { cookie } = await openConsole({ url: fixture.service.url, environment: fixture.environment }, who);
  const target = await openInstallation({ SERVER_KEY: '5e'.repeat(32) });
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const node = await fixture.newNode({ FOREWORD_ROLE: 'api' });
      const partial = path.join(folder, `partial-${kill}.tar`);
      const running = await download(node, cookie, partial, 1024 * 1024 * (1 + kill));
      await node.kill();
      await expect(running.finish()).rejects.toThrow();
      await running.close();
      const refused = await tryForeword(target.environment, 'import', partial);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/^foreword: [^\n]+\n$/);
      expect(await target.database.query('select id from organizations')).toEqual([]);
    }
    const complete = path.join(folder, 'complete.tar');
    const running = await download(fixture.service, cookie, complete);
    await running.finish();
    await running.close();
    await foreword(target.environment, 'import', complete);
    const intros = rowsOf(await readFiles(complete), 'intros').map(({ id }) => id);
    expect(intros).toEqual(expect.arrayContaining(created));
    expect(new Set(intros).size).toBe(intros.length);
    expect(
      (await target.database.query<{ id: string }>('select id from intros order by id')).map(({ id }) => id),
    ).toEqual([...intros].sort());
    const copied = path.join(target.objects, organization.id, take, 'video.mp4');
    expect(fs.readFileSync(copied).equals(fs.readFileSync(file))).toBe(true);
  } finally {
    isSending = false;
    await sending;
  }
  const isRunning = async () =>
    fetch(`${fixture.service.url}/console/api/export`, {
      headers: { cookie, origin: fixture.service.url, 'sec-fetch-site': 'same-origin' },
    }).then(async (response) => ((await response.json()) as { is_running: boolean }).is_running);
  await eventually(isRunning, (running) => !running);
}, 180_000);
