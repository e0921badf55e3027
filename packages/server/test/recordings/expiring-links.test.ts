import { describe, expect, test } from 'vitest';
import { hashOfKey } from '../../src/http/idempotency/index.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { firstFileCheckAt, mayUseLink, nextFileCheckAt } from '../../src/recordings/rules.ts';
import { openPhone, type Phone } from '../acceptance/support/recorder.ts';
import { forFile, nextKey, openService, sleep } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';

const MINUTE_MS = 60_000;

const fixture = await forFile(openService());

/** Signs links as the service does, because the API creates none that expires within a minute. */
const links = createLinks(toServerKey(Buffer.from(SHARED_SETTINGS.SERVER_KEY, 'hex')), 'https://intros.acme.example');
const open = (introId: string, expiresAt: Date): Promise<Phone> => {
  const url = links.expiringRecordUrl({ introId, generation: 0, expiresAt });
  return openPhone({ service: fixture.service, run: async () => ({ url }) }, introId);
};

async function linkThatExpires(inMs: number): Promise<{ phone: Phone; introId: string }> {
  const body = { member: { external_id: 'rep_17' }, recipient: { first_name: 'Dana', phone: '+14155550123' } };
  const { id: introId } = (await fixture.api.post('/v1/intros', body)).body;
  await fixture.run('intro', 'link', introId);
  return { phone: await open(introId, new Date(Math.ceil((Date.now() + inMs) / 1000) * 1000)), introId };
}

/** The address of an upload with the link of another phone. */
const at = (phone: Phone, upload: string, from: Phone): string =>
  upload.replace(new URL(from.url).pathname, new URL(phone.url).pathname);

describe('an expired link', () => {
  test('is 410, tells the member what to do, and starts nothing', async () => {
    const { phone, introId } = await linkThatExpires(-MINUTE_MS);
    const page = await phone.page();
    expect(page.status).toBe(410);
    const html = await page.text();
    expect(html).toContain('Acme Roofing');
    expect(html).toContain('open it again');
    const state = await fetch(`${phone.url}/state`);
    expect([state.status, await state.json()]).toEqual([410, { closed: 'link_expired' }]);
    await expect(phone.begin()).rejects.toThrow('410');
    expect((await fetch(`${phone.url}/preferences`, { method: 'POST', body: '{"words_per_minute":120}' })).status).toBe(
      410,
    );
    expect(await fixture.database.sql`select 1 from recordings where intro_id = ${introId}`).toEqual([]);
  });

  test('finishes the upload that started while it was valid, and starts no other', async () => {
    const { phone: earlier, introId } = await linkThatExpires(MINUTE_MS);
    const begun = await earlier.begin({ length: 6 });
    expect((await earlier.patch(begun, 0, Buffer.from('abc'))).status).toBe(204);
    // A link that expires right after the upload began, instead of waiting a minute for the end of that one.
    const expiresAt = new Date(Math.ceil(Date.now() / 1000) * 1000);
    const phone = await open(introId, expiresAt);
    await sleep(expiresAt.getTime() - Date.now() + 50);
    const upload = at(phone, begun, earlier);
    expect((await phone.page()).status).toBe(410);
    expect(await phone.state()).toMatchObject({ recording: { status: 'uploading' } });
    expect(await phone.offset(upload)).toBe(3);
    await expect(phone.begin()).rejects.toThrow('410');
    // Another upload, started later with the member's own link.
    const own = await openPhone(fixture, introId);
    expect((await phone.patch(at(phone, await own.begin(), own), 0, Buffer.from('x'))).status).toBe(404);
    expect((await phone.patch(upload, 3, Buffer.from('def'))).status).toBe(204);
    const [take] = await fixture.database.sql`select status from recordings where id = ${upload.split('/').at(-1)}`;
    expect(take).not.toMatchObject({ status: 'uploading' });
  });

  test('is replaced when the request for it is repeated', async () => {
    const { introId } = await linkThatExpires(MINUTE_MS);
    const { key } = await fixture.run(
      ...['key', 'create', '--org', fixture.organization.id, '--name', 'App', '--allow-recording-links', 'true'],
    );
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': nextKey() };
    const request = () => fixture.api.raw('POST', `/v1/intros/${introId}/recording_link`, { headers });
    const first = (await request()).body;
    // Waiting for the end of the shortest lifetime would take a minute.
    await fixture.database
      .sql`update idempotency_keys set response = (response::jsonb || '{"expires_at": "2026-01-01T00:00:00.000Z"}')::text
       where key_hash = ${hashOfKey(headers['idempotency-key'])}`;
    const second = await request();
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(Date.parse(second.body.expires_at)).toBeGreaterThanOrEqual(Date.parse(first.expires_at));
    expect((await request()).body).toEqual(second.body);
  });

  test('is not a wrong link: opening it often is not rate limited', async () => {
    const { phone } = await linkThatExpires(-MINUTE_MS);
    const pages = await Promise.all(Array.from({ length: 40 }, () => phone.page()));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([410]));
  });
});

describe('following a take after its link has expired', () => {
  const expiresAt = new Date('2026-03-10T09:30:00Z');
  const after = (minutes: number) => new Date(expiresAt.getTime() + minutes * MINUTE_MS);

  test.each([
    ['a take from before the expiry', -10, 5, true],
    ['no take', null, 5, false],
    ['a take from long before the link', -16, 5, false],
    ['a take from after the expiry', 1, 5, false],
    ['a take from before the expiry, a day later', -10, 24 * 60, false],
  ])('is possible for %s: %s min, after %s min: %s', (_take, begun, now, expected) => {
    const link = { expiresAt, takeBegunAt: begun === null ? null : after(begun) };
    expect(mayUseLink('follow', link, after(now))).toBe(expected);
  });
});

const NOW = new Date('2026-03-05T10:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const shown = {
  isReady: true,
  isRetriable: false,
  isShown: true,
  introStatus: 'ready',
  sentAt: null,
  keptDays: 180,
} as const;

describe('the files of a take', () => {
  test.each([
    ['that was refused or discarded', { ...shown, isReady: false }],
    ['that another take replaced', { ...shown, isShown: false }],
    ['of an intro that was cancelled', { ...shown, introStatus: 'cancelled' }],
    ['of an intro that has expired', { ...shown, introStatus: 'expired' }],
    ['whose page was sent more than 180 days ago', { ...shown, introStatus: 'sent', sentAt: ago(181 * DAY_MS) }],
  ] as const)('%s are deleted', (_case, take) => {
    expect(nextFileCheckAt(take, NOW)).toBeNull();
  });

  test.each(['requested', 'ready'] as const)('that was refused are kept while it can be tried again', (introStatus) => {
    const take = { ...shown, isReady: false, isRetriable: true, isShown: false, introStatus };
    expect(nextFileCheckAt(take, NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
    expect(nextFileCheckAt({ ...take, introStatus: 'cancelled' }, NOW)).toBeNull();
    expect(nextFileCheckAt({ ...take, introStatus: 'sent' }, NOW)).toBeNull();
  });

  test('that has not been sent are checked again the next day', () => {
    expect(nextFileCheckAt(shown, NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
  });

  test('that was sent are kept until an hour after its page closes', () => {
    const sentAt = ago(10 * DAY_MS);
    const take = { ...shown, introStatus: 'sent', sentAt } as const;
    expect(nextFileCheckAt(take, NOW)).toEqual(new Date(sentAt.getTime() + 180 * DAY_MS + HOUR_MS));
  });

  test('are kept for as long as the organization chose', () => {
    const take = { ...shown, introStatus: 'sent', sentAt: ago(7 * DAY_MS + HOUR_MS) } as const;
    expect(nextFileCheckAt({ ...take, keptDays: 7 }, NOW)).toBeNull();
    expect(nextFileCheckAt({ ...take, keptDays: 8 }, NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
  });

  test('are first checked after an hour when never shown, and after a day when shown', () => {
    expect(firstFileCheckAt('refused', NOW)).toEqual(new Date(NOW.getTime() + HOUR_MS));
    expect(firstFileCheckAt('discarded', NOW)).toEqual(new Date(NOW.getTime() + HOUR_MS));
    expect(firstFileCheckAt('ready', NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
  });
});
