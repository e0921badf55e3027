import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const fixture = await forFile(openPages());

const get = (path: string, init: RequestInit = {}) => fetch(fixture.url + path, { redirect: 'manual', ...init });
const takeDown = (intro: PageIntro) =>
  fixture.database.query('update intros set taken_down_at = now() where id = $1', [intro.id]);

async function createTakenDown(setup: PageSetup = {}): Promise<PageIntro> {
  const intro = await fixture.createIntro({
    organization: { logo: Buffer.from('a logo') },
    member: { photo: Buffer.from('a face') },
    status: 'sent',
    ...setup,
  });
  await takeDown(intro);
  return intro;
}

describe('a page that was taken down', () => {
  test('shows the organization, what happened and the office number, and nothing of the member', async () => {
    const intro = await createTakenDown();
    const page = await get(intro.path);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('Acme Roofing took this video down');
    expect(html).toContain('href="tel:+13125550100"');
    expect(html).toContain(`src="${intro.path}/logo.png"`);
    const traces = ['.mp4', 'poster', 'card.jpg', 'og:image', 'photo.jpg', 'Ana', '+13125550117', 'appointment.ics'];
    for (const trace of traces) expect(html).not.toContain(trace);
  });

  test('names the number on the contract if the organization has none', async () => {
    const intro = await createTakenDown({ organization: { office_phone: null } });
    const html = await (await get(intro.path)).text();
    expect(html).toContain('call the number on your contract or invoice');
    expect(html).not.toContain('tel:');
  });

  test('answers 410 for the video, its pictures, the photo and the appointment', async () => {
    const intro = await createTakenDown();
    const names = ['poster.jpg', 'card.jpg', 'preview.webp', 'captions.vtt', 'photo.jpg', 'appointment.ics'];
    for (const path of [intro.videoPath, ...names.map((name) => `${intro.path}/${name}`)]) {
      expect([path, (await get(path)).status]).toEqual([path, 410]);
    }
    expect((await get(`${intro.path}/logo.png`)).status).toBe(200);
  });

  test('replaces the video at once, even for a request with its ETag', async () => {
    const intro = await fixture.createIntro({ status: 'sent' });
    const before = await get(intro.path);
    await before.text();
    await takeDown(intro);
    const after = await get(intro.path, { headers: { 'if-none-match': before.headers.get('etag') ?? '' } });
    expect(after.status).toBe(200);
    expect(await after.text()).toContain('took this video down');
  });

  test('does not record that it was opened, and still accepts an opt-out', async () => {
    const intro = await createTakenDown();
    const response = await get(`${intro.path}/seen`, { method: 'POST', body: JSON.stringify({ what: 'opened' }) });
    expect(response.status).toBe(410);
    expect(await fixture.intro(intro.id)).toMatchObject({ opened_at: null, version: 1 });
    expect((await get(`${intro.path}/opt-out`, { method: 'POST' })).status).toBe(200);
    expect(fixture.optedOut).toHaveLength(1);
  });
});
