import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { forFile, sleep } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { createIntro, eventually } from './support/actions.ts';
import { openPhone, type Phone, sendHalf, TUS, untilRecording } from './support/recorder.ts';
import { openService } from './support/service.ts';

const folder = temporaryFolder();
// Without the media role: these tests are only about the upload.
const fixture = await forFile(
  openService({ FOREWORD_ROLE: 'api,worker', UPLOAD_MAX_MB: '2', OBJECTS_URL: `file://${folder}` }),
);

const newPhone = async (): Promise<Phone> => openPhone(fixture, (await createIntro(fixture.api)).id);
async function begin(options?: { length?: number }) {
  const phone = await newPhone();
  return { phone, at: await phone.begin(options) };
}
const bytes = (size: number, fill = 7) => new Uint8Array(size).fill(fill);

/** The stored parts of an upload, in order. */
async function storedBytes(at: string): Promise<Buffer> {
  const id = at.split('/').at(-1) ?? '';
  const [row] = await fixture.database.sql`select organization_id, parts from recordings where id = ${id}`;
  const read = (name: string) => fs.readFile(path.join(folder, row?.organization_id, id, 'original', name));
  return Buffer.concat(await Promise.all(row?.parts.map(read)));
}

async function editsOf(at: string) {
  const sql = 'select trim_start_ms, trim_end_ms, captions from recordings where id = $1';
  return (await fixture.database.query(sql, [at.split('/').at(-1) ?? '']))[0];
}

/** Limits the size of files the service can write, which simulates a full disk. */
const limitFiles = (size: string) =>
  execFileSync('prlimit', ['--pid', String(fixture.service.pid), `--fsize=${size}:unlimited`]);

describe('an upload', () => {
  test('with its length in the last request is complete then, and waits to be checked', async () => {
    const { phone, at } = await begin();
    expect(await phone.offset(at)).toBe(0);
    expect((await phone.state()).recording).toMatchObject({ status: 'uploading' });
    expect((await phone.patch(at, 0, bytes(1000))).status).toBe(204);
    const last = await phone.patch(at, 1000, bytes(500), { 'upload-length': '1500' });
    expect(last.status).toBe(204);
    expect(last.headers.get('upload-offset')).toBe('1500');
    expect((await phone.state()).recording).toMatchObject({ status: 'checking', id: at.split('/').at(-1) });
  });

  test('keeps the trim and the captions that are sent with its length', async () => {
    const { phone, at } = await begin();
    const edits = { 'foreword-trim': 'start_ms=800, end_ms=9000', 'foreword-captions': ':SGkgRGFuYQ==:' };
    expect((await phone.patch(at, 0, bytes(1000), edits)).status).toBe(204);
    expect(await editsOf(at)).toEqual({ trim_start_ms: null, trim_end_ms: null, captions: null });
    expect((await phone.patch(at, 1000, bytes(500), { 'upload-length': '1500', ...edits })).status).toBe(204);
    expect(await editsOf(at)).toEqual({ trim_start_ms: 800, trim_end_ms: 9000, captions: 'Hi Dana' });
  });

  test('with an invalid trim is rejected, and nothing is stored', async () => {
    const { phone, at } = await begin();
    const invalid = { 'upload-length': '500', 'foreword-trim': '800-9000' };
    const response = await phone.patch(at, 0, bytes(500), invalid);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { code: 'validation_failed', field: 'Foreword-Trim' } });
    expect(await phone.offset(at)).toBe(0);
    expect((await phone.state()).recording.status).toBe('uploading');
    expect((await phone.patch(at, 0, bytes(500), { 'upload-length': '500' })).status).toBe(204);
  });

  test('returns its location without a host, and its expiry', async () => {
    const phone = await newPhone();
    const answer = await phone.request('POST', `${phone.url}/uploads`, {
      'upload-length': '10',
      'upload-metadata': `filetype ${btoa('video/webm;codecs=vp8')}`,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toMatch(/^\/r\/[0-9A-Za-z]{22}\/uploads\/rec_[0-9a-z]{26}$/);
    expect(Date.parse(String(answer.headers.get('upload-expires')))).toBeGreaterThan(0);
    expect(answer.headers.get('tus-resumable')).toBe('1.0.0');
  });

  test('at a wrong offset is 409 and keeps the earlier bytes', async () => {
    const { phone, at } = await begin({ length: 3000 });
    await phone.patch(at, 0, bytes(1000));
    for (const offset of [0, 999, 1001, 3000]) expect((await phone.patch(at, offset, bytes(10))).status).toBe(409);
    expect(await phone.offset(at)).toBe(1000);
  });

  test('with concurrent requests at one offset accepts exactly one of them', async () => {
    const { phone, at } = await begin({ length: 1_000_000 });
    const pieces = Array.from({ length: 6 }, (_, i) => phone.patch(at, 0, bytes(200_000, i)));
    const statuses = (await Promise.all(pieces)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(await phone.offset(at)).toBe(200_000);
  });

  test('that is interrupted keeps the received bytes and continues from there', async () => {
    const { phone, at } = await begin({ length: 400_000 });
    const interrupt = async () => {
      const socket = await sendHalf(fixture, at, 400_000, bytes(150_000));
      await sleep(300);
      socket.destroy();
      return phone.offset(at);
    };
    // A busy service may not have read anything at the first attempt.
    const kept = await eventually(interrupt, (offset) => offset > 0);
    expect(kept).toBeLessThanOrEqual(150_000);
    expect((await phone.patch(at, kept, bytes(400_000 - kept))).status).toBe(204);
    expect((await phone.state()).recording.status).toBe('checking');
  });

  test('that does not fit on the disk is 503, loses nothing, and continues when space is available', async () => {
    const { phone, at } = await begin({ length: 700_000 });
    expect((await phone.patch(at, 0, bytes(100_000, 1))).status).toBe(204);
    limitFiles('200000');
    try {
      const refused = await phone.patch(at, 100_000, bytes(600_000, 2));
      expect(refused.status).toBe(503);
      expect(await refused.text()).not.toMatch(/EFBIG|ENOSPC|foreword-/);
      expect(await phone.offset(at)).toBe(100_000);
      expect((await phone.state()).recording.status).toBe('uploading');
      // Small requests still succeed.
      expect((await phone.patch(at, 100_000, bytes(50_000, 2))).status).toBe(204);
    } finally {
      limitFiles('unlimited');
    }
    expect((await phone.patch(at, 150_000, bytes(550_000, 2))).status).toBe(204);
    expect((await phone.state()).recording.status).toBe('checking');
    expect(await storedBytes(at)).toEqual(Buffer.concat([bytes(100_000, 1), bytes(600_000, 2)]));
    expect(await fs.readdir(path.join(folder, '.tmp'))).toEqual([]);
  });

  test('that was discarded is 410, and the next one starts from zero', async () => {
    const { phone, at } = await begin({ length: 100 });
    expect((await phone.request('DELETE', at)).status).toBe(204);
    expect((await phone.request('HEAD', at)).status).toBe(410);
    expect((await phone.patch(at, 0, bytes(100))).status).toBe(410);
    expect((await phone.state()).recording).toBeNull();
    expect(await phone.offset(await phone.begin({ length: 100 }))).toBe(0);
  });

  test('that is complete can be neither discarded nor continued', async () => {
    const { phone, at } = await begin({ length: 100 });
    await phone.patch(at, 0, bytes(100));
    expect((await phone.request('DELETE', at)).status).toBe(400);
    expect((await phone.patch(at, 100, bytes(1))).status).toBeGreaterThanOrEqual(400);
    expect((await phone.state()).recording.status).toBe('checking');
  });

  test('belongs to its link: the link of another intro can neither see nor change it', async () => {
    const [mine, other] = [await newPhone(), await newPhone()];
    const at = await mine.begin({ length: 100 });
    const stolen = `${other.url}/uploads/${at.split('/').at(-1)}`;
    for (const method of ['HEAD', 'DELETE']) expect((await other.request(method, stolen)).status).toBe(404);
    expect((await other.patch(stolen, 0, bytes(100, 9))).status).toBe(404);
    expect(await mine.offset(at)).toBe(0);
  });
});

describe('invalid uploads', () => {
  const create = (phone: Phone, headers: Record<string, string>) =>
    phone.request('POST', `${phone.url}/uploads`, headers);
  const asType = (type: string) => ({ 'upload-metadata': `filetype ${btoa(type)}` });

  test('of another type, or without one, are 415', async () => {
    const phone = await newPhone();
    for (const type of ['text/html', 'image/png', 'audio/mp4', 'application/vnd.apple.mpegurl', '']) {
      expect((await create(phone, { 'upload-length': '10', ...asType(type) })).status).toBe(415);
    }
    expect((await create(phone, { 'upload-length': '10' })).status).toBe(415);
    expect((await phone.state()).recording).toBeNull();
  });

  test('that are empty are 400', async () => {
    const phone = await newPhone();
    expect((await create(phone, { 'upload-length': '0', ...asType('video/mp4') })).status).toBe(400);
    const at = await phone.begin();
    expect((await phone.patch(at, 0, bytes(0), { 'upload-length': '0' })).status).toBe(400);
  });

  test('larger than the limit are 413, whether the length is declared or not', async () => {
    const phone = await newPhone();
    expect((await create(phone, { 'upload-length': '2000001', ...asType('video/mp4') })).status).toBe(413);
    const at = await phone.begin();
    expect((await phone.patch(at, 0, bytes(1_500_000))).status).toBe(204);
    expect((await phone.patch(at, 1_500_000, bytes(600_000))).status).toBe(413);
    expect((await phone.patch(at, 1_500_000, bytes(10), { 'upload-length': '2000001' })).status).toBe(413);
    expect(await phone.offset(at)).toBe(1_500_000);
  });

  test('longer than declared are 413', async () => {
    const { phone, at } = await begin({ length: 100 });
    expect((await phone.patch(at, 0, bytes(101))).status).toBe(413);
    expect(await phone.offset(at)).toBe(0);
  });

  test.each([
    ['no Tus-Resumable', { 'upload-length': '10', ...asType('video/mp4'), 'tus-resumable': '' }, 412],
    ['neither a length nor a deferred one', asType('video/mp4'), 400],
    ['a negative length', { 'upload-length': '-1', ...asType('video/mp4') }, 400],
    ['a length that is not a number', { 'upload-length': 'ten', ...asType('video/mp4') }, 400],
    ['malformed metadata', { 'upload-length': '10', 'upload-metadata': 'filetype !!!,,' }, 400],
  ])('with %s are rejected', async (_what, headers, status) => {
    expect((await create(await newPhone(), headers as Record<string, string>)).status).toBe(status);
  });

  test('with a wrong content type are rejected, and nothing is stored', async () => {
    const { phone, at } = await begin({ length: 10 });
    const answer = await phone.patch(at, 0, bytes(10), { 'content-type': 'video/mp4' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await phone.offset(at)).toBe(0);
  });

  test('from other origins are not allowed', async () => {
    const phone = await newPhone();
    const answer = await create(phone, {
      'upload-length': '10',
      ...asType('video/mp4'),
      origin: 'https://evil.example',
    });
    expect(answer.headers.get('access-control-allow-origin')).not.toBe('*');
    expect(answer.headers.get('access-control-allow-origin')).not.toBe('https://evil.example');
  });

  test('after sixty takes of one intro in a day are 429', async () => {
    const phone = await newPhone();
    for (let i = 0; i < 60; i++) await phone.begin({ length: 10 });
    expect((await create(phone, { 'upload-length': '10', ...asType('video/mp4') })).status).toBe(429);
  });
});

test('a cancel during an upload takes precedence: the next request is 410 with the reason', async () => {
  const intro = await createIntro(fixture.api);
  const phone = await openPhone(fixture, intro.id);
  const at = await phone.begin({ length: 1000 });
  await phone.patch(at, 0, bytes(400));
  await fixture.api.post(`/v1/intros/${intro.id}/cancel`);
  for (const answer of [
    await phone.patch(at, 400, bytes(600)),
    await phone.request('POST', `${phone.url}/uploads`, TUS),
  ]) {
    expect(answer.status).toBe(410);
    expect(await answer.json()).toEqual({ closed: 'cancelled' });
  }
  expect((await fixture.api.get(`/v1/intros/${intro.id}`)).body).toMatchObject({
    status: 'cancelled',
    delivery: { recipient_url: null },
  });
});

/** Gives the intro to another member. */
async function handOver(phone: Phone): Promise<void> {
  const n = `${Math.random()}`.slice(2);
  const fields = { first_name: 'Rosa', last_name: 'Diaz', email: `rosa${n}@acme.example`, external_id: `rep_${n}` };
  const { id: member } = (await fixture.api.post('/v1/members', fields)).body;
  const body = JSON.stringify({ member });
  expect((await fetch(`${phone.url}/hand-over`, { method: 'POST', body })).status).toBe(204);
}

test('an upload that starts while the intro is handed over is not a take of the new member', async () => {
  const intro = await createIntro(fixture.api);
  const phone = await openPhone(fixture, intro.id);
  const holder = new pg.Client({ connectionString: fixture.database.url });
  await holder.connect();
  await holder.query('begin');
  // The upload has checked its link, and waits here.
  await holder.query('select from members where id = $1 for no key update', [intro.member.id]);
  const upload = phone.request(
    'POST',
    `${phone.url}/uploads`,
    {
      'upload-length': '10',
      'upload-metadata': `filetype ${btoa('video/mp4')}`,
      'content-type': 'application/offset+octet-stream',
    },
    bytes(10),
  );
  await eventually(
    () =>
      fixture.database.sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for share%'`,
    ({ length }) => length === 1,
  );
  await handOver(phone);
  await holder.query('commit');
  await holder.end();
  expect((await upload).status).toBe(503);
  expect(await fixture.database.sql`select id from recordings where intro_id = ${intro.id}`).toEqual([]);
});

test('a rejected take is not shown to the next member of its intro, and not processed as theirs', async () => {
  const intro = await createIntro(fixture.api);
  const phone = await openPhone(fixture, intro.id);
  await phone.send(bytes(1000));
  await fixture.database.sql`
    update recordings set status = 'refused', refusal_code = 'processing_failed', refusal_message = 'Try again.'
    where intro_id = ${intro.id}`;
  expect((await phone.state()).recording).toMatchObject({ status: 'refused', retryable: true });
  await handOver(phone);
  const next = await openPhone(fixture, intro.id);
  expect((await next.state()).recording).toBeNull();
  expect((await fetch(`${next.url}/retry`, { method: 'POST' })).status).toBe(409);
});

test('a second take replaces the first one while it waits', async () => {
  const phone = await newPhone();
  await phone.send(bytes(1000));
  const second = await phone.send(bytes(2000));
  expect((await untilRecording(phone, 'checking')).recording.id).toBe(second.split('/').at(-1));
});

test('an organization that has uploaded its daily limit gets 507, and others and the next day do not', async () => {
  const limited = await forFile(openService({ FOREWORD_ROLE: 'api,worker', UPLOADS_DAILY_GB: '1' }));
  const { id } = await createIntro(limited.api);
  const phone = await openPhone(limited, id);
  const at = await phone.begin();
  expect((await phone.patch(at, 0, bytes(500))).status).toBe(204);
  const upload = at.split('/').at(-1) ?? '';
  await limited.database.sql`update recordings set upload_offset = 999999999 where id = ${upload}`;
  const other = await openPhone(limited, (await createIntro(limited.api)).id);
  const refused = await other.request('POST', `${other.url}/uploads`, {
    'upload-length': '10',
    'upload-metadata': `filetype ${btoa('video/mp4')}`,
  });
  expect([refused.status, await refused.json()]).toEqual([
    507,
    { error: { code: 'storage_full', message: expect.stringContaining('daily limit') } },
  ]);
  const clip = await limited.api.post(`/v1/test_helpers/intros/${id}/record`, {});
  expect([clip.status, clip.body.error.code]).toEqual([507, 'storage_full']);
  const stranger = await limited.newOrganization();
  expect(
    (await stranger.api.post(`/v1/test_helpers/intros/${(await createIntro(stranger.api)).id}/record`, {})).status,
  ).toBe(202);
  // A take of the day before.
  await limited.database.sql`update recordings set id = 'rec_00000000000000000000000000' where id = ${upload}`;
  expect((await limited.api.post(`/v1/test_helpers/intros/${id}/record`, {})).status).toBe(202);
});
