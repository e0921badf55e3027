import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPages, type PageFixture, type PageIntro, type PageSetup } from './page-fixture.ts';

let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPages();
});
afterAll(() => fixture.close());

const at = (path: string, init: RequestInit = {}) => fetch(fixture.url + path, { redirect: 'manual', ...init });

const setReplaced = (intro: PageIntro, since: Date | null) =>
  fixture.database.query('update members set pages_replaced_at = $1 where organization_id = $2', [
    since,
    intro.organizationId,
  ]);

async function left(setup: PageSetup = {}): Promise<PageIntro> {
  const intro = await fixture.createIntro({ organization: { logo: Buffer.from('a logo') }, ...setup });
  await setReplaced(intro, new Date('2026-03-05T09:00:00Z'));
  return intro;
}

describe("a page whose member has left, with the organization's card in its place", () => {
  test('answers 200 with name, logo, who left and the number of the office', async () => {
    const intro = await left();
    const page = await at(intro.path);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('Acme Roofing is here for you');
    expect(html).toContain('Ana no longer works at Acme Roofing');
    expect(html).toContain('href="tel:+13125550100"');
    expect(html).toContain(`src="${intro.path}/logo.png"`);
  });

  test('shows nothing of the video, of the member beyond the first name, nor of the appointment', async () => {
    const html = await (await at((await left({ member: { photo: Buffer.from('a face') } })).path)).text();
    for (const trace of ['.mp4', 'poster', 'card.jpg', 'og:image', 'og:video', 'photo.jpg', 'Ana Ng', '+13125550117']) {
      expect(html).not.toContain(trace);
    }
    expect(html).not.toContain('Meet Ana');
    expect(html).not.toContain('appointment.ics');
  });

  test('answers 410 for its video and all that was made of it, and for the photo and the appointment', async () => {
    const intro = await left({ member: { photo: Buffer.from('a face') } });
    const names = ['poster.jpg', 'card.jpg', 'preview.webp', 'captions.vtt', 'photo.jpg', 'appointment.ics'];
    for (const path of [intro.videoPath, ...names.map((name) => `${intro.path}/${name}`)]) {
      expect([path, (await at(path)).status]).toEqual([path, 410]);
    }
    expect((await at(`${intro.path}/logo.png`)).status).toBe(200);
    expect((await at(`${intro.path}/icon.svg`)).status).toBe(200);
  });

  test('is shown at once to whoever had the page with the video before, also by its ETag', async () => {
    const intro = await fixture.createIntro();
    const before = await at(intro.path);
    await before.text();
    const tag = before.headers.get('etag') ?? '';
    expect((await at(intro.path, { headers: { 'if-none-match': tag } })).status).toBe(304);
    await setReplaced(intro, new Date('2026-03-05T09:00:00Z'));
    const after = await at(intro.path, { headers: { 'if-none-match': tag } });
    expect(after.status).toBe(200);
    expect(await after.text()).toContain('is here for you');
  });

  test('shows the video again, as before, when it is taken back', async () => {
    const intro = await fixture.createIntro();
    const before = await (await at(intro.path)).text();
    await setReplaced(intro, new Date('2026-03-05T09:00:00Z'));
    expect(await (await at(intro.path)).text()).not.toBe(before);
    await setReplaced(intro, null);
    expect(await (await at(intro.path)).text()).toBe(before);
    expect((await at(intro.videoPath)).status).toBe(200);
  });

  test('counts nobody as having opened or watched it', async () => {
    const intro = await left();
    const told = await at(`${intro.path}/seen`, { method: 'POST', body: JSON.stringify({ what: 'opened' }) });
    expect(told.status).toBe(410);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
  });

  test('still lets the recipient ask for no more texts', async () => {
    const intro = await left({ status: 'sent' });
    const before = fixture.optedOut.length;
    expect((await at(`${intro.path}/opt-out`, { method: 'POST' })).status).toBe(200);
    expect(fixture.optedOut.length).toBe(before + 1);
  });

  test('names another way to call when no number of the office is known', async () => {
    const html = await (await at((await left({ organization: { office_phone: null } })).path)).text();
    expect(html).toContain('The number on your contract');
    expect(html).not.toContain('tel:');
  });

  test('writes names as text and never as markup', async () => {
    const setup = { organization: { name: '<b>Acme</b>' }, member: { first_name: '<i>Ana</i>' } };
    const html = await (await at((await left(setup)).path)).text();
    expect(html).not.toContain('<b>Acme');
    expect(html).not.toContain('<i>Ana');
  });
});

test.each(['cancelled', 'expired'] as const)(
  'a page that was %s stays closed when its member has left',
  async (status) => {
    const intro = await left({ status });
    expect((await at(intro.path)).status).toBe(410);
  },
);
