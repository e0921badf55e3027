import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pools.ts';
import type { Tables } from '../../src/db/tenancy.ts';
import { processTag } from '../../src/platform/process.ts';
import { ARCHIVED_TABLES } from '../../src/privacy/archive/format.ts';
import { importArchive } from '../../src/privacy/archive/index.ts';
import { createIntro } from '../acceptance/support/actions.ts';
import { openTeam } from '../console/team-fixture.ts';
import { tryForeword } from '../harness/cli.ts';
import { forFile } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { createRows, PHONE, SETTLED, TAKE } from './fixture.ts';
import { contentOf, type File, forge, openInstallation, readFiles, readRows, rowsOf } from './support.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

/** Archives that someone changed, with right checksums, and a part of the line that refuses each. */
function forgeries(files: readonly File[], id: string): Record<string, () => readonly [File[], string]> {
  const replaced = (name: string, change: (text: string) => string): File[] =>
    files.map((file) =>
      file.path === name ? { ...file, content: Buffer.from(change(file.content.toString())) } : file,
    );
  const added = (name: string, content: string, after = 'rows.json'): File[] =>
    files.flatMap((file) => (file.path === after ? [file, { path: name, content: Buffer.from(content) }] : [file]));
  const MEMBERS = 'rows/members/000001.jsonl';
  return {
    'a newer format': () => [
      replaced('foreword-export.json', (text) => text.replace('"format": 1', '"format": 2')),
      'format is 2',
    ],
    'a database from before 0.2.0': () => [
      replaced('foreword-export.json', (text) => text.replace(/"schema": "[^"]+"/, '"schema": "0063_names.sql"')),
      'whose tables this version does not know',
    ],
    'a row of another organization': () => [
      replaced(MEMBERS, (text) => text.replace(id, `org_${'0'.repeat(26)}`)),
      'another organization',
    ],
    'a picture of another organization': () => [
      replaced(MEMBERS, (text) => text.replaceAll('"photo":null', `"photo":"org_${'0'.repeat(26)}/logo-1.png"`)),
      'a file of another organization',
    ],
    'a part of a recording in another organization': () => [
      replaced('rows/recordings/000001.jsonl', (text) => text.replace('"parts":["', '"parts":["../../x","')),
      'a file of another organization',
    ],
    'a line that is not JSON': () => [replaced(MEMBERS, (text) => `${text}{"id":\n`), 'not JSON'],
    'a line without an end': () => [replaced(MEMBERS, (text) => text.slice(0, -1)), 'incomplete line'],
    'a giant line': () => [replaced(MEMBERS, (text) => `${text}"${'x'.repeat(17 * 1024 * 1024)}"\n`), 'is too large'],
    'an unknown column': () => [
      replaced(MEMBERS, (text) => text.replaceAll('{"organization_id"', '{"later":1,"organization_id"')),
      'the column later',
    ],
    'an unknown table': () => [added('rows/later_things/000001.jsonl', '{}\n', MEMBERS), 'does not know the'],
    'an unexpected file': () => [added(`objects/${id}/members/mem_1-1.jpg`, 'x'), 'no row refers to the file'],
    'a value of another type': () => [
      replaced(MEMBERS, (text) => text.replace('"active":true', '"active":"maybe"')),
      'the database rejects a row',
    ],
    'a website that runs a script': () => [
      replaced('rows/organizations/000001.jsonl', (text) =>
        text.replace('"website":null', '"website":"javascript:alert(1)"'),
      ),
      'website must be an address',
    ],
    'a button that runs a script': () => [
      replaced('rows/touchpoints/000001.jsonl', (text) =>
        text.replace('"action_label":null,"action_url":null', '"action_label":"Go","action_url":"javascript:alert(1)"'),
      ),
      'action_url must be',
    ],
    'a template above the limits': () => [
      replaced('rows/touchpoints/000001.jsonl', (text) =>
        text.replace(/"script":"(?:[^"\\]|\\.)*"/, '"script":"{% for i in (1..9999) %}x{% endfor %}"'),
      ),
      'script line 1: the template takes too long',
    ],
    'a template that is too long': () => [
      replaced('rows/touchpoints/000001.jsonl', (text) =>
        text.replace(/"page_title":"[^"]*"/, `"page_title":"${'x'.repeat(121)}"`),
      ),
      'page_title',
    ],
    'a private webhook URL': () => [
      replaced('rows/webhook_endpoints/000001.jsonl', (text) =>
        text.replace('https://hooks.acme.example/in', 'http://169.254.169.254/latest'),
      ),
      'url must not point to this machine or a private network',
    ],
    'an email that is none': () => [
      replaced(MEMBERS, (text) => text.replace(/"email":"[^"]*"/, '"email":"<script>"')),
      'email must be',
    ],
    'fewer rows than it says': () => [
      replaced(MEMBERS, (text) => text.slice(text.indexOf('\n') + 1)),
      'does not match the rows',
    ],
    'a missing file': () => [files.filter((file) => !file.path.endsWith('video.mp4')), 'video.mp4 is missing'],
    'files in another order': () => [[...files.slice(1), ...files.slice(0, 1)], 'wrong place'],
  };
}

/** Archives that were damaged, or whose checksums are wrong. */
function damages(bytes: Buffer): [string, Buffer][] {
  return [
    ['a path out of the folder', Buffer.concat([Buffer.from('../../etc/passwd\0'), bytes.subarray(17)])],
    ['cut off', bytes.subarray(0, bytes.length - 2048)],
    ['something after its end', Buffer.concat([bytes, Buffer.alloc(512, 1)])],
    ['a changed byte', Buffer.concat([bytes.subarray(0, 5200), Buffer.from('~'), bytes.subarray(5201)])],
  ];
}

const folder = temporaryFolder();

const exportTo = async (to: string, ...more: string[]) => team.run('export', '--org', id, '--to', to, ...more);

/** Runs an import that must be refused with one line, and returns the line. */
async function refusal(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tryForeword(environment, 'import', ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^foreword: [^\n]+\n$/);
  return stderr;
}

const team = await forFile(openTeam());
const { id } = team.organization;
const intro = await createRows(team);
const { file: archive } = await exportTo(folder);
const files = await readFiles(archive);

test('the manifest lists each file with its checksum, and the number of rows', () => {
  const manifest = JSON.parse(contentOf(files, 'manifest.json').toString());
  expect(manifest.header).toMatchObject({
    format: 1,
    kind: 'organization',
    organization: { id, name: 'Acme Roofing' },
  });
  for (const [name, size, sha256] of manifest.files) {
    const content = contentOf(files, name);
    expect([name, content.length, createHash('sha256').update(content).digest('hex')]).toEqual([name, size, sha256]);
  }
  expect(manifest.files).toHaveLength(files.length - 2);
  expect(manifest.rows.intros).toBe(rowsOf(files, 'intros').length);
  expect(manifest).toMatchObject({ objects: 5, missing_objects: [`${id}/${TAKE}/captions.vtt`] });
  expect(fs.statSync(archive).mode & 0o777).toBe(0o600);
});

test('no secret and no idempotency key is in the archive', () => {
  const text = Buffer.concat(files.map(({ content }) => content)).toString('latin1');
  expect(text).not.toContain(team.organization.key);
  expect(text).not.toContain('whsec_');
  for (const row of rowsOf(files, 'idempotency_keys')) {
    expect(row).toMatchObject({ key_hash: expect.stringMatching(/^\\x[0-9a-f]{32}$/) });
    expect(row).not.toHaveProperty('key');
  }
});

describe('an import into another installation', () => {
  test('keeps every row and object, and refuses a second time', async () => {
    const target = await openInstallation();
    const done = await tryForeword(target.environment, 'import', archive, '--json');
    expect(JSON.parse(done.stderr)).toEqual({
      warning: { message: '1 file was deleted before the export reached it.' },
    });
    expect(JSON.parse(done.stdout)).toMatchObject({ id, object: 'import', keeps_links: true, objects: 5 });
    const rows = await readRows(target.database, id);
    for (const table of ARCHIVED_TABLES) {
      const original = rowsOf(files, table);
      const imported = (rows[table] ?? []).map((line) => JSON.parse(line));
      const kept = imported.filter(({ action }) => action !== 'organization.imported');
      if (table === 'weekly_summaries') continue;
      const comparable = (found: object[]) =>
        found.map((row) => JSON.stringify(SETTLED.includes(table) ? Object.keys(row) : row)).sort();
      expect([table, comparable(kept)]).toEqual([table, comparable(original)]);
    }
    const texts = await target.database.query(`select metadata::text from intros where id = $1`, [intro]);
    expect(texts).toEqual(await team.database.query(`select metadata::text from intros where id = $1`, [intro]));
    for (const { path: name, content } of files.filter((file) => file.path.startsWith('objects/'))) {
      expect(fs.readFileSync(path.join(target.objects, name.slice('objects/'.length)))).toEqual(content);
    }
    const entries = await target.database.query(
      `select actor_type from audit_entries where action = 'organization.imported'`,
    );
    expect(entries).toEqual([{ actor_type: 'operator' }]);

    expect(await refusal(target.environment, archive)).toContain(`${id} (Acme Roofing) exists here already`);
    expect(await readRows(target.database, id)).toEqual(rows);
  });

  test('sends nothing that was pending, and processes nothing twice', async () => {
    const changed = files.map((file) => {
      const lines = file.content.toString().split('\n');
      const edit = (change: (row: Record<string, unknown>) => object) => ({
        ...file,
        content: Buffer.from(
          lines.map((line) => (line === '' ? '' : JSON.stringify(change(JSON.parse(line))))).join('\n'),
        ),
      });
      if (file.path.startsWith('rows/touchpoint_events/')) {
        return edit((row) => ({ ...row, status: 'accepted', settled_at: null, intro_id: null }));
      }
      if (file.path.startsWith('rows/intros/'))
        return edit((row) => ({ ...row, status: 'ready', responsibility: 'service', link_host: 'go.acme.test' }));
      if (file.path.startsWith('rows/recordings/')) return edit((row) => ({ ...row, status: 'processing' }));
      if (!file.path.startsWith('rows/messages/')) return file;
      return edit((row) => ({ ...row, status: 'scheduled', purpose: 'deliver', settled_at: null }));
    });
    const forged = path.join(folder, 'pending.tar');
    await forge(
      forged,
      changed.filter((file) => !/objects\/.*\/(?!original)[a-z]+\.(mp4|jpg)$/.test(file.path)),
    );
    const target = await openInstallation();
    const { code, stderr } = await tryForeword(target.environment, 'import', forged);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const statuses = async (table: string, column = 'status') =>
      (await target.database.query<{ value: string }>(`select distinct ${column} as value from ${table}`)).map(
        ({ value }) => value,
      );
    expect(await statuses('touchpoint_events')).toEqual(['failed']);
    expect(await statuses('touchpoint_events', 'error_code')).toEqual(['processing_failed']);
    expect(await statuses('messages')).toEqual(['failed']);
    expect(await statuses('intros', "concat(delivery_error_code, ' ', link_host)")).toEqual(['unknown_outcome ']);
    expect(await statuses('link_domains', "concat(state, ' ', verified_at)")).toEqual(['pending ']);
    expect(await statuses('recordings')).toEqual(['refused']);
    expect(await statuses('webhook_endpoints', 'active')).toEqual([false]);
    expect(await statuses('webhook_deliveries')).not.toContain('pending');
    expect(await target.database.query(`select from weekly_summaries`)).toHaveLength(1);
  });

  test('with another server key is refused unless new links are accepted', async () => {
    const target = await openInstallation({ SERVER_KEY: 'a7'.repeat(32) });
    expect(await refusal(target.environment, archive)).toContain('made with another SERVER_KEY');
    expect(await target.database.query('select from organizations')).toEqual([]);
    const { code } = await tryForeword(target.environment, 'import', archive, '--new-links', 'true');
    expect(code).toBe(0);
    const hashes = async ({ query }: typeof target.database) =>
      (
        await query<{ hash: string }>(`select encode(hash, 'hex') as hash from links where organization_id = $1`, [id])
      ).map(({ hash }) => hash);
    const [before, after] = [await hashes(team.database), await hashes(target.database)];
    expect(after).toHaveLength(rowsOf(files, 'links').length);
    expect(before.filter((hash) => after.includes(hash))).toEqual([]);
    const { stdout } = await tryForeword(target.environment, 'intro', 'link', intro, '--json');
    const token = new URL(JSON.parse(stdout).url).pathname.slice(3);
    expect(after).toContain(createHash('sha256').update(token).digest('hex'));
  });

  test('keeps erasures, and with another server key is refused while one is in progress', async () => {
    const other = await forFile(openTeam());
    const org = ['--org', other.organization.id];
    await createIntro(other.api);
    const { id: erasure } = await other.run('recipient', 'erase', ...org, '--phone', PHONE);
    const open = await other.run('export', ...org, '--to', path.join(folder, 'erasing.tar'));
    const statusIn = async (environment: Record<string, string>) =>
      JSON.parse((await tryForeword(environment, 'recipient', 'erasure', erasure, '--json')).stdout).status;

    const target = await openInstallation({ SERVER_KEY: 'a7'.repeat(32) });
    expect(await refusal(target.environment, open.file, '--new-links', 'true')).toContain('was being erased');
    expect(await target.database.query('select from organizations')).toEqual([]);
    const same = await openInstallation();
    expect((await tryForeword(same.environment, 'import', open.file)).code).toBe(0);
    // A running service continues it.
    expect(await statusIn(same.environment)).toBe('processing');

    await other.database.query(
      "update recipient_erasures set status = 'completed', completed_at = now(), due_at = null, sealed_phone = null",
    );
    const closed = await other.run('export', ...org, '--to', path.join(folder, 'erased.tar'));
    expect((await tryForeword(target.environment, 'import', closed.file, '--new-links', 'true')).code).toBe(0);
    expect(await statusIn(target.environment)).toBe('completed');
  });
});

test('an import does not take a database that stopped for an unreadable file', async () => {
  const address = { host: '/nowhere', user: 'foreword', database: 'postgres' };
  const db = openDatabase<Tables>(address, { max: 1, name: 'test', onError: () => undefined });
  const options = { file: archive, withNewLinks: false, allowPrivate: false, onProgress: () => undefined };
  await expect(importArchive({ db } as never, options)).rejects.toMatchObject({ code: 'ENOENT', syscall: 'connect' });
  await db.close();
});

describe('a hostile archive is refused with one line, and nothing is written', () => {
  test('for every forgery and every damage', async () => {
    const target = await openInstallation();
    const file = path.join(folder, 'hostile.tar');
    for (const [name, forgery] of Object.entries(forgeries(files, id))) {
      const [forged, problem] = forgery();
      await forge(file, forged);
      expect([name, await refusal(target.environment, file)]).toEqual([name, expect.stringContaining(problem)]);
    }
    for (const [name, content] of damages(fs.readFileSync(archive))) {
      fs.writeFileSync(file, content);
      expect([name, await refusal(target.environment, file)]).toEqual([name, expect.stringContaining('Cannot import')]);
    }
    expect(await refusal(target.environment, path.join(folder, 'none.tar'))).toContain('cannot be read');
    expect(await target.database.query('select from organizations')).toEqual([]);
    expect(
      fs.readdirSync(target.objects, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()),
    ).toEqual([]);
  });
});

describe('an export', () => {
  test('of one recipient contains nothing about others, and cannot be imported', async () => {
    // The number is also that of a member, who was texted about another recipient.
    await team.database.query(
      `insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, channel, due_at, address, status, body,
         created_at, accepted_at)
       select organization_id, environment, 'msg_to_a_member', id, 'member', 'ask', 9, 'text', now(), $1, 'accepted',
         'Record a video for Lee Sand', now(), now() from intros where recipient_last_name = 'Sand'`,
      [PHONE],
    );
    const { file } = await exportTo(folder, '--phone', PHONE);
    const own = await readFiles(file);
    const text = Buffer.concat(own.map(({ content }) => content)).toString('latin1');
    expect(rowsOf(own, 'intros')).toHaveLength(1);
    expect(rowsOf(own, 'consents')).toHaveLength(1);
    expect(rowsOf(own, 'touchpoint_events')).toHaveLength(1);
    expect(contentOf(own, `objects/${id}/${TAKE}/video.mp4`).toString()).toBe('video');
    expect(text).not.toContain('+14155550177');
    expect(text).not.toContain('Sand');
    expect(rowsOf(own, 'members')).toEqual([]);
    const target = await openInstallation();
    expect(await refusal(target.environment, file)).toContain('it contains one recipient');
    const options = ['--org', id, '--to', folder, '--phone', '+14155550999'];
    const nothing = await tryForeword(team.environment, 'export', ...options);
    expect(nothing).toMatchObject({
      code: 1,
      stderr: 'foreword: This organization has nothing about this recipient.\n',
    });
    expect(fs.readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('removes what a killed one left, and replaces no file', async () => {
    const target = path.join(folder, 'repeated.tar');
    const [space = '', pid = ''] = processTag.split('-');
    // A process with this id has ended.
    const partial = `${target}.partial-${space}-${pid}-1`;
    fs.writeFileSync(partial, fs.readFileSync(archive).subarray(0, 6_000));
    await exportTo(target);
    expect(fs.existsSync(partial)).toBe(false);
    const again = await tryForeword(team.environment, 'export', '--org', id, '--to', target);
    const message = `foreword: Cannot write ${target}: it already exists; choose another name.\n`;
    expect(again).toMatchObject({ code: 1, stderr: message });
  });

  test('on a full disk says so, and can be repeated', async () => {
    const target = path.join(folder, 'full.tar');
    const command = [process.execPath, BIN, 'export', '--org', id, '--to', target];
    // A limit of 4 kB for each file, which a full disk resembles.
    const limited = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...command], {
      env: { ...process.env, ...SHARED_SETTINGS, ...team.environment },
      encoding: 'utf8',
    });
    expect([limited.status, limited.stderr]).toEqual([
      1,
      expect.stringMatching(/no space left .*run the command again/),
    ]);
    expect(await exportTo(target)).toMatchObject({ objects: 5 });
  });

  test('is streamed by the console to owners, and recorded', async () => {
    const estimate = await team.owner.call('GET /export');
    expect(estimate.body).toMatchObject({ intros: 2, videos: 1, bytes: 5, is_running: false });
    for (const [where, object] of [
      ['organization.tar', 'organization'],
      [`recipient.tar?intro=${intro}`, 'recipient'],
    ] as const) {
      const response = await team.owner.get(`/console/export/${where}`);
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="foreword-.*\.tar"$/);
      const file = path.join(folder, `${object}.tar`);
      fs.writeFileSync(file, Buffer.from(await response.arrayBuffer()));
      const downloaded = await readFiles(file);
      expect(contentOf(downloaded, `objects/${id}/${TAKE}/video.mp4`).toString()).toBe('video');
      expect(downloaded.at(-1)?.path).toBe('manifest.json.sha256');
      const { body } = await team.owner.call('GET /activity', { query: { action: 'export.created' } });
      expect(body.entries[0]).toMatchObject({ actor: { id: team.ownerId }, object: { id: object } });
    }
  });

  test('of an erased recipient is refused, because all of them have the same empty number', async () => {
    await team.database.query("update intros set erased_at = now(), recipient_phone = '' where id = $1", [intro]);
    const response = await team.owner.get(`/console/export/recipient.tar?intro=${intro}`);
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('was erased')]);
  });
});
