import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

const get = (path: string, init: RequestInit = {}) => fetch(fixture.url + path, { redirect: 'manual', ...init });
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
    const names = ['poster.jpg', 'card.jpg', 'preview.webp', 'captions.vtt', 'photo.jpg', 'appointment.ics'];
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

  test('does not record that it was opened, and still lets the recipient opt out of texts', async () => {
    const intro = await createReplaced(replace);
    const response = await get(`${intro.path}/seen`, { method: 'POST', body: JSON.stringify({ what: 'opened' }) });
    expect(response.status).toBe(410);
    expect(await fixture.intro(intro.id)).toMatchObject({ opened_at: null, version: 1 });
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

test.each(['cancelled', 'expired'] as const)('a page that is %s stays closed after its member left', async (status) => {
  expect((await get((await createReplaced(leave, { status })).path)).status).toBe(410);
});
