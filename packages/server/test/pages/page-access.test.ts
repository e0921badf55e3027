import { afterEach, describe, expect, test } from 'vitest';
import { previewPage } from '../../src/pages/index.ts';
import { forFile } from '../harness/index.ts';
import { NOW, openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

const FILES = [
  'poster.jpg',
  'card.jpg',
  'thumbnail.jpg',
  'preview.webp',
  'captions.vtt',
  'appointment.ics',
  'contact.vcf',
  'icon.svg',
];
const addressesOf = (intro: PageIntro) => [intro.videoPath, ...FILES.map((name) => `${intro.path}/${name}`)];
const get = (path: string, init: RequestInit = {}) => fetch(fixture.url + path, { redirect: 'manual', ...init });
const DAY_MS = 86_400_000;

async function expectNoBeacons(intro: PageIntro): Promise<void> {
  for (const body of ['{"what":"opened"}', '{"what":"clicked","type":"call"}']) {
    expect((await get(`${intro.path}/seen`, { method: 'POST', body })).status).toBe(410);
  }
  expect(await fixture.intro(intro.id)).toMatchObject({ opened_at: null, clicked_times: null, version: 1 });
}

describe('a page link', () => {
  afterEach(() => fixture.setTime(NOW));

  test('opens the page and its files once the intro is ready or sent', async () => {
    for (const status of ['ready', 'sent'] as const) {
      const intro = await fixture.createIntro({ status });
      for (const address of [intro.path, ...addressesOf(intro)]) expect((await get(address)).status).toBe(200);
    }
  });

  test.each(['cancelled', 'expired'] as const)(
    'whose intro is %s is 410, with a branded page and empty files',
    async (status) => {
      const intro = await fixture.createIntro({ status, organization: { accent: '#8a2f1d' } });
      const page = await get(intro.path);
      const text = await page.text();
      expect(page.status).toBe(410);
      expect(text).toContain('Acme Roofing');
      expect(text).toContain('#8a2f1d');
      expect(text).toContain('href="tel:+13125550100"');
      expect(text).not.toContain('Dana');
      for (const address of addressesOf(intro)) {
        const file = await get(address);
        expect([file.status, await file.text()]).toEqual([410, '']);
      }
      await expectNoBeacons(intro);
    },
  );

  test('closes at once when the intro is cancelled, even if it was cached', async () => {
    const intro = await fixture.createIntro();
    for (let n = 0; n < 3; n++) expect((await get(intro.path)).status).toBe(200);
    await fixture.database.sql`update intros set status = 'cancelled' where id = ${intro.id}`;
    expect((await get(intro.path)).status).toBe(410);
    expect((await get(intro.videoPath)).status).toBe(410);
    expect((await get(intro.path, { headers: { 'if-none-match': '*' } })).status).toBe(410);
  });

  test('closes exactly 180 days after it was sent', async () => {
    const intro = await fixture.createIntro({ status: 'sent', sentAt: NOW });
    fixture.setTime(new Date(NOW.getTime() + 180 * DAY_MS - 1));
    expect((await get(intro.path)).status).toBe(200);
    fixture.setTime(new Date(NOW.getTime() + 180 * DAY_MS));
    expect((await get(intro.path)).status).toBe(410);
    expect((await get(intro.videoPath)).status).toBe(410);
  });

  test('that is unknown or not ready yet gets the same plain 404', async () => {
    const waiting = await fixture.createIntro({ status: 'requested', video: null });
    const unknown = ['/i/Unknown00000', '/i/short', `/i/${'x'.repeat(60)}`, '/i/..%2f..%2fetc', '/i/%00', waiting.path];
    const pages = await Promise.all(
      unknown.map(async (path) => {
        const response = await get(path);
        return [response.status, await response.text()];
      }),
    );
    expect(new Set(pages.map(([, text]) => text)).size).toBe(1);
    expect(pages.every(([status]) => status === 404)).toBe(true);
    expect(pages[0]?.[1]).not.toContain('Acme');
    for (const name of ['poster.jpg', 'contact.vcf']) {
      const file = await get(`${waiting.path}/${name}`);
      expect([file.status, await file.text()]).toEqual([404, '']);
    }
  });

  test('serves only the files of its own page', async () => {
    const [intro, other] = [
      await fixture.createIntro(),
      await fixture.createIntro({ video: { width: 2, height: 2, durationMs: 1, captions: false, preview: false } }),
    ];
    const foreign = other.videoPath.split('/').at(-1);
    for (const name of [foreign, 'video.mp4', 'logo.png', 'photo.jpg', '..%2fposter.jpg', 'original%2f1', '']) {
      expect((await get(`${intro.path}/${name}`)).status).toBe(404);
    }
    expect((await get(`${other.path}/captions.vtt`)).status).toBe(404);
  });
});

test('an address with 30 requests for unknown links is refused, except for pages it has opened, which do not count', async () => {
  const [opened, hidden] = [await fixture.createIntro(), await fixture.createIntro()];
  const visit = (path: string) => get(path, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  for (let n = 0; n < 40; n++) expect((await visit(opened.path)).status).toBe(200);
  const guesses = Array.from({ length: 30 }, (_, n) => `/i/Guess${String(n).padStart(7, '0')}`);
  const misses = await Promise.all(guesses.map(visit));
  expect(misses.map(({ status }) => status)).toEqual(misses.map(() => 404));
  const refused = await visit('/i/GuessAnother');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await visit(hidden.path)).status).toBe(429);
  for (const path of [opened.path, opened.videoPath]) expect((await visit(path)).status).toBe(200);
});

describe('the preview of a page', () => {
  const preview = (intro: PageIntro, mediaOrigin: string | null = null) =>
    previewPage(
      fixture.db,
      {
        tenant: { organizationId: intro.organizationId, environment: 'test' },
        introId: intro.id,
        pageUrl: `https://intros.acme.example${intro.path}`,
        mediaOrigin,
        numberOf: () => null,
      },
      NOW,
    );

  test('shows the page, can be framed by our own pages, and has no tracking', async () => {
    const intro = await fixture.createIntro();
    const page = await preview(intro);
    expect(page?.html).toContain(`src="${intro.videoPath}"`);
    expect(page?.policy).toContain("frame-ancestors 'self'");
    expect(page?.policy).not.toContain('connect-src');
    expect(page?.html).not.toMatch(/seen|fetch\(|sendBeacon/);
  });

  test('allows video from the object store only when players are redirected there', async () => {
    const intro = await fixture.createIntro();
    expect((await preview(intro))?.policy).toContain("media-src 'self';");
    expect((await preview(intro, 'https://store.example'))?.policy).toContain(
      "media-src 'self' https://store.example;",
    );
  });

  test('has no opt-out form, and its reply buttons send nothing', async () => {
    const intro = await fixture.createIntro();
    expect(await (await get(intro.path)).text()).toContain(`action="${intro.path}/opt-out"`);
    const html = (await preview(intro))?.html;
    expect(html).toContain('See you then');
    expect(html).not.toMatch(/opt-out|type="submit"|<button>/);
  });

  test('does not exist before the video or after the intro has closed', async () => {
    expect(await preview(await fixture.createIntro({ status: 'requested', video: null }))).toBeNull();
    expect(await preview(await fixture.createIntro({ status: 'cancelled' }))).toBeNull();
  });
});

const read = async (intro: PageIntro) => (await get(intro.path)).text();

const setPagesReplaced = ({ organizationId }: PageIntro, since: Date | null) =>
  fixture.database.sql`update members set pages_replaced_at = ${since} where organization_id = ${organizationId}`;
const leave = (intro: PageIntro) => setPagesReplaced(intro, new Date('2026-03-05T09:00:00Z'));
const takeDown = ({ id }: PageIntro) => fixture.database.sql`update intros set taken_down_at = now() where id = ${id}`;

async function createReplaced(replace: (intro: PageIntro) => Promise<unknown>, setup: PageSetup = {}) {
  const pictures = { organization: { logo: Buffer.from('a logo') }, member: { photo: Buffer.from('a face') } };
  const intro = await fixture.createIntro({ ...pictures, status: 'sent', ...setup });
  await replace(intro);
  return intro;
}

describe.each([
  { name: 'of a member who has left', heading: 'Acme Roofing is here for you', replace: leave },
  { name: 'that was taken down', heading: 'Acme Roofing took this video down', replace: takeDown },
])('the page $name', ({ heading, replace }) => {
  test('shows the organization and the office number, but no video, appointment or picture of the member', async () => {
    const intro = await createReplaced(replace);
    const page = await get(intro.path);
    const html = await page.text();
    expect(page.status).toBe(200);
    for (const part of [heading, 'href="tel:+13125550100"', `src="${intro.path}/logo.png"`])
      expect(html).toContain(part);
    const traces = ['.mp4', 'poster', 'card.jpg', 'og:image', 'og:video', 'photo.jpg', 'Ana Ng', 'Meet Ana'];
    for (const trace of [...traces, '+13125550117', 'appointment.ics']) expect(html).not.toContain(trace);
  });

  test('suggests the number on the contract when the office number is unknown', async () => {
    const html = await read(await createReplaced(replace, { organization: { office_phone: null } }));
    expect(html).toContain('the number on your contract');
    expect(html).not.toContain('tel:');
  });

  test('answers 410 for the video, its pictures, the photo and the appointment', async () => {
    const intro = await createReplaced(replace);
    const names = [
      'poster.jpg',
      'card.jpg',
      'preview.webp',
      'captions.vtt',
      'photo.jpg',
      'appointment.ics',
      'contact.vcf',
    ];
    for (const path of [intro.videoPath, ...names.map((name) => `${intro.path}/${name}`)]) {
      expect([path, (await get(path)).status]).toEqual([path, 410]);
    }
    for (const name of ['logo.png', 'icon.svg']) expect((await get(`${intro.path}/${name}`)).status).toBe(200);
  });

  test('replaces the video page at once, even for a request with its ETag', async () => {
    const intro = await fixture.createIntro({ status: 'sent' });
    const before = await get(intro.path);
    await before.text();
    const again = () => get(intro.path, { headers: { 'if-none-match': before.headers.get('etag') ?? '' } });
    expect((await again()).status).toBe(304);
    await replace(intro);
    const after = await again();
    expect([after.status, await after.text()]).toEqual([200, expect.stringContaining(heading)]);
  });

  test('does not record views and taps, and still lets the recipient opt out of texts', async () => {
    const intro = await createReplaced(replace);
    await expectNoBeacons(intro);
    const before = fixture.optedOut.length;
    expect((await get(`${intro.path}/opt-out`, { method: 'POST' })).status).toBe(200);
    expect(fixture.optedOut.length).toBe(before + 1);
  });
});

test('the page of a member who has left names only the first name, and escapes names', async () => {
  expect(await read(await createReplaced(leave))).toContain('Ana no longer works at Acme Roofing');
  const setup = { organization: { name: '<b>Acme</b>' }, member: { first_name: '<i>Ana</i>' } };
  expect(await read(await createReplaced(leave, setup))).not.toMatch(/<b>Acme|<i>Ana/);
});

test('the video is shown again when a member returns', async () => {
  const intro = await fixture.createIntro();
  const before = await read(intro);
  await leave(intro);
  expect(await read(intro)).not.toBe(before);
  await setPagesReplaced(intro, null);
  expect(await read(intro)).toBe(before);
  expect((await get(intro.videoPath)).status).toBe(200);
});

test('a page that was taken down does not name the member', async () => {
  expect(await read(await createReplaced(takeDown))).not.toContain('Ana');
});

async function statusesOf(intro: PageIntro): Promise<readonly number[]> {
  const paths = [intro.path, intro.videoPath, `${intro.path}/poster.jpg`];
  return Promise.all(paths.map(async (path) => (await get(path)).status));
}

const removeVideo = ({ id }: PageIntro) =>
  fixture.database.sql`update recordings set deleted_at = now() where intro_id = ${id}`;

test('a page whose video was removed answers 410, with the name and the number of the organization', async () => {
  const [intro, other] = [await fixture.createIntro({ status: 'sent' }), await fixture.createIntro({ status: 'sent' })];
  expect(await statusesOf(intro)).toEqual([200, 200, 200]);
  await removeVideo(intro);
  expect(await statusesOf(intro)).toEqual([410, 410, 410]);
  expect(await read(intro)).toContain('Acme Roofing');
  expect(await statusesOf(other)).toEqual([200, 200, 200]);
});

test('a page that was taken down still says so after its video was removed', async () => {
  const intro = await createReplaced(takeDown);
  await removeVideo(intro);
  const page = await get(intro.path);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('took this video down')]);
});

test('the link of a removed intro answers 410 in the language of the organization, and an unknown one 404', async () => {
  const intro = await fixture.createIntro({ status: 'sent', recipient: 'Zelda', organization: { language: 'es' } });
  await fixture.database.sql`delete from recordings where intro_id = ${intro.id}`;
  await fixture.database.sql`delete from intros where id = ${intro.id}`;
  expect(await statusesOf(intro)).toEqual([410, 410, 410]);
  const html = await read(intro);
  expect(html).toContain('lang="es"');
  expect(html).not.toContain('Zelda');
  expect((await get(`${intro.path.slice(0, -4)}AAAA`)).status).toBe(404);
});

test.each(['cancelled', 'expired'] as const)('a page that is %s stays closed after its member left', async (status) => {
  expect((await get((await createReplaced(leave, { status })).path)).status).toBe(410);
});
