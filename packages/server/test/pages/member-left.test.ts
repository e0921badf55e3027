import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

const get = (path: string, init: RequestInit = {}) => fetch(fixture.url + path, { redirect: 'manual', ...init });

const setPagesReplaced = (intro: PageIntro, since: Date | null) =>
  fixture.database.query('update members set pages_replaced_at = $1 where organization_id = $2', [
    since,
    intro.organizationId,
  ]);

async function createLeft(setup: PageSetup = {}): Promise<PageIntro> {
  const intro = await fixture.createIntro({ organization: { logo: Buffer.from('a logo') }, ...setup });
  await setPagesReplaced(intro, new Date('2026-03-05T09:00:00Z'));
  return intro;
}

describe('the page of a member who has left', () => {
  test('names the organization, the member who left and the office number', async () => {
    const intro = await createLeft();
    const page = await get(intro.path);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('Acme Roofing is here for you');
    expect(html).toContain('Ana no longer works at Acme Roofing');
    expect(html).toContain('href="tel:+13125550100"');
    expect(html).toContain(`src="${intro.path}/logo.png"`);
  });

  test('shows no video, no appointment and only the first name of the member', async () => {
    const html = await (await get((await createLeft({ member: { photo: Buffer.from('a face') } })).path)).text();
    for (const trace of ['.mp4', 'poster', 'card.jpg', 'og:image', 'og:video', 'photo.jpg', 'Ana Ng', '+13125550117']) {
      expect(html).not.toContain(trace);
    }
    expect(html).not.toContain('Meet Ana');
    expect(html).not.toContain('appointment.ics');
  });

  test('answers 410 for the video, its pictures, the photo and the appointment', async () => {
    const intro = await createLeft({ member: { photo: Buffer.from('a face') } });
    const names = ['poster.jpg', 'card.jpg', 'preview.webp', 'captions.vtt', 'photo.jpg', 'appointment.ics'];
    for (const path of [intro.videoPath, ...names.map((name) => `${intro.path}/${name}`)]) {
      expect([path, (await get(path)).status]).toEqual([path, 410]);
    }
    expect((await get(`${intro.path}/logo.png`)).status).toBe(200);
    expect((await get(`${intro.path}/icon.svg`)).status).toBe(200);
  });

  test('replaces the video page at once, even for a request with its ETag', async () => {
    const intro = await fixture.createIntro();
    const before = await get(intro.path);
    await before.text();
    const tag = before.headers.get('etag') ?? '';
    expect((await get(intro.path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    await setPagesReplaced(intro, new Date('2026-03-05T09:00:00Z'));
    const after = await get(intro.path, { headers: { 'if-none-match': tag } });
    expect(after.status).toBe(200);
    expect(await after.text()).toContain('is here for you');
  });

  test('shows the video again when the replacement is undone', async () => {
    const intro = await fixture.createIntro();
    const before = await (await get(intro.path)).text();
    await setPagesReplaced(intro, new Date('2026-03-05T09:00:00Z'));
    expect(await (await get(intro.path)).text()).not.toBe(before);
    await setPagesReplaced(intro, null);
    expect(await (await get(intro.path)).text()).toBe(before);
    expect((await get(intro.videoPath)).status).toBe(200);
  });

  test('does not record that the page was opened', async () => {
    const intro = await createLeft();
    const response = await get(`${intro.path}/seen`, { method: 'POST', body: JSON.stringify({ what: 'opened' }) });
    expect(response.status).toBe(410);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
  });

  test('still lets the recipient opt out of texts', async () => {
    const intro = await createLeft({ status: 'sent' });
    const before = fixture.optedOut.length;
    expect((await get(`${intro.path}/opt-out`, { method: 'POST' })).status).toBe(200);
    expect(fixture.optedOut.length).toBe(before + 1);
  });

  test('suggests the number on the contract when the office number is unknown', async () => {
    const html = await (await get((await createLeft({ organization: { office_phone: null } })).path)).text();
    expect(html).toContain('the number on your contract');
    expect(html).not.toContain('tel:');
  });

  test('escapes names', async () => {
    const setup = { organization: { name: '<b>Acme</b>' }, member: { first_name: '<i>Ana</i>' } };
    const html = await (await get((await createLeft(setup)).path)).text();
    expect(html).not.toContain('<b>Acme');
    expect(html).not.toContain('<i>Ana');
  });
});

test.each(['cancelled', 'expired'] as const)('a page that is %s stays closed after its member left', async (status) => {
  const intro = await createLeft({ status });
  expect((await get(intro.path)).status).toBe(410);
});
