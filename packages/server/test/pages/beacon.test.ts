import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { NOW, openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': PHONE };
const send = async (intro: PageIntro, body: unknown, headers: Record<string, string> = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${fixture.url}${intro.path}/seen`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body: text,
  });
  await response.arrayBuffer();
  return response.status;
};
const watched = (percent: number) => ({ what: 'watched', percent });
const OPENED = { what: 'opened' };
const clicked = (type: string) => ({ what: 'clicked', type });

describe('opening a page', () => {
  const sentAt = new Date('2026-03-01T08:00:00.000Z');
  test.each<[string, PageSetup, object]>([
    ['marks an intro that the integration delivers as sent', {}, { status: 'sent', sent_at: NOW, expires_at: null }],
    [
      'does not change the status of an intro that the service delivers',
      { responsibility: 'service' },
      { status: 'ready', sent_at: null },
    ],
    [
      'does not change when a sent intro was sent',
      { status: 'sent', sentAt },
      { status: 'sent', sent_at: sentAt, expires_at: null },
    ],
  ])('%s', async (_what, setup, expected) => {
    const intro = await fixture.createIntro(setup);
    expect(await send(intro, OPENED)).toBe(204);
    const row = await fixture.intro(intro.id);
    expect(row).toMatchObject({ ...expected, opened_at: NOW, watched_at: null, version: 2 });
  });

  test('counts once, even with simultaneous beacons', async () => {
    const intro = await fixture.createIntro();
    await Promise.all(Array.from({ length: 20 }, () => send(intro, OPENED)));
    fixture.setTime(new Date(NOW.getTime() + 60_000));
    await send(intro, OPENED);
    fixture.setTime(NOW);
    expect(await fixture.intro(intro.id)).toMatchObject({ opened_at: NOW, version: 2 });
  });
});

describe('watching a video', () => {
  test('only increases, and is complete at 100 percent', async () => {
    const intro = await fixture.createIntro();
    await send(intro, OPENED);
    for (const percent of [25, 75, 50, 25]) expect(await send(intro, watched(percent))).toBe(204);
    expect(await fixture.intro(intro.id)).toMatchObject({ watched_percent: 75, watched_at: null, version: 4 });
    await send(intro, watched(100));
    await send(intro, watched(100));
    expect(await fixture.intro(intro.id)).toMatchObject({ watched_percent: 100, watched_at: NOW, version: 5 });
  });

  test('implies that the page was opened', async () => {
    const intro = await fixture.createIntro();
    await send(intro, watched(25));
    const expected = { status: 'sent', opened_at: NOW, watched_percent: 25, version: 2 };
    expect(await fixture.intro(intro.id)).toMatchObject(expected);
  });
});

describe('tapping something on the page', () => {
  const webhooksOf = async ({ organizationId }: PageIntro) =>
    (
      await fixture.database
        .sql`select type from webhook_messages where organization_id = ${organizationId} order by id`
    )
      .map(({ type }) => type)
      .filter((type) => type === 'intro.clicked');

  test('counts each kind once, with one webhook, even with simultaneous beacons', async () => {
    const intro = await fixture.createIntro();
    await fixture.addEndpoint(intro);
    const taps = ['call', 'text', 'call', 'call'].map((type) => send(intro, clicked(type)));
    expect(await Promise.all(taps)).toEqual([204, 204, 204, 204]);
    fixture.setTime(new Date(NOW.getTime() + 60_000));
    for (const type of ['call', 'contact']) await send(intro, clicked(type));
    fixture.setTime(NOW);
    const later = '2026-03-05T10:01:00.000Z';
    const times = { call: NOW.toISOString(), text: NOW.toISOString(), contact: later };
    expect(await fixture.intro(intro.id)).toMatchObject({ clicked_times: times, version: 4 });
    expect(await webhooksOf(intro)).toHaveLength(3);
  });

  test('implies that the page was opened', async () => {
    const intro = await fixture.createIntro();
    await send(intro, clicked('calendar'));
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'sent', opened_at: NOW, version: 2 });
  });
});

describe('nothing is stored', () => {
  const WRONG = [
    '',
    'null',
    '{',
    '{"what":"closed"}',
    '{"what":"opened","percent":25}',
    '{"what":"opened","more":1}',
    '{"what":"watched"}',
    '{"what":"watched","percent":30}',
    '{"what":"watched","percent":"25"}',
    '{"what":["opened"]}',
    '{"what":"opened","type":"call"}',
    '{"what":"watched","percent":25,"type":"call"}',
    '{"what":"clicked"}',
    '{"what":"clicked","type":"video"}',
    '{"what":"clicked","type":"toString"}',
    '{"what":"clicked","type":["call"]}',
    '{"what":"clicked","type":"call","percent":25}',
  ];

  test('for an invalid body, which is refused', async () => {
    const intro = await fixture.createIntro();
    for (const body of WRONG) expect([body, await send(intro, body)]).toEqual([body, 400]);
    expect(await send(intro, 'x'.repeat(10_000))).toBe(413);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null, version: 1 });
  });

  test('by GET, HEAD or prefetching', async () => {
    const intro = await fixture.createIntro();
    for (const method of ['GET', 'HEAD']) await fetch(fixture.url + intro.path, { method });
    await fetch(fixture.url + intro.path, { headers: { 'sec-purpose': 'prefetch;prerender' } });
    await fetch(fixture.url + intro.videoPath);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null, version: 1 });
  });

  test('for a robot that runs scripts', async () => {
    const headers = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1) HeadlessChrome/141.0.0.0' };
    const intro = await fixture.createIntro();
    for (const body of [OPENED, clicked('call')]) {
      expect(await send(intro, body, headers)).toBe(204);
    }
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null, version: 1 });
  });

  test.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ])('for a beacon from another site: %o', async (headers) => {
    const intro = await fixture.createIntro();
    expect(await send(intro, OPENED, headers as Record<string, string>)).toBe(403);
    expect((await fixture.intro(intro.id)).opened_at).toBeNull();
  });

  test('for an intro that has no video yet', async () => {
    const intro = await fixture.createIntro({ status: 'requested', video: null });
    expect(await send(intro, OPENED)).toBe(404);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'requested', opened_at: null });
  });
});

test('beacons from our own pages are accepted, by PUBLIC_URL and behind a proxy that keeps the host', async () => {
  const { host } = new URL(fixture.url);
  for (const origin of ['https://intros.acme.example', `http://${host}`, 'null']) {
    const intro = await fixture.createIntro();
    expect(await send(intro, OPENED, { origin })).toBe(204);
    expect((await fixture.intro(intro.id)).opened_at).toEqual(NOW);
  }
  const phone = await fixture.createIntro();
  await send(phone, OPENED, {
    'user-agent': 'Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) Chrome/120',
    'sec-fetch-site': 'same-origin',
  });
  expect((await fixture.intro(phone.id)).opened_at).toEqual(NOW);
});
