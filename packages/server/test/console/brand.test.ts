import type { ConsoleBody } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

type BrandChange = ConsoleBody<'POST /brand'>;

const team = await forFile(openTeam());
const read = async () => (await team.manager.call('GET /brand')).body;
/** The stored brand with a change, as the form sends it. */
async function edited(change: Partial<BrandChange>): Promise<BrandChange> {
  const { logo_url: _, ...brand } = await read();
  return { ...brand, ...change };
}
const save = (body: BrandChange) => team.manager.call('POST /brand', { body });

describe('the brand', () => {
  test('is saved as a whole, with trimmed texts and a lowercase color', async () => {
    const body = await edited({
      name: '  Acme Roofing & Sons ',
      accent: '#B4451F',
      office_phone: '+13125550100',
      license: ' TX-RC 1234 ',
      website: 'https://www.acme.example/',
      timezone: 'America/Denver',
      texts_from: 540,
      texts_until: 1200,
    });
    const saved = await save(body);
    expect(saved.status).toBe(200);
    expect(saved.body).toEqual({
      version: body.version + 1,
      name: 'Acme Roofing & Sons',
      accent: '#b4451f',
      office_phone: '+13125550100',
      license: 'TX-RC 1234',
      website: 'https://www.acme.example/',
      timezone: 'America/Denver',
      language: 'en',
      texts_from: 540,
      texts_until: 1200,
      reply_confirm: null,
      reply_reschedule: null,
      reply_thanks: null,
      reply_question: null,
      logo_url: null,
    });
    expect(await read()).toEqual(saved.body);
    expect((await team.manager.call('GET /session')).body.organization).toMatchObject({
      timezone: 'America/Denver',
    });
  });

  test.each([
    ['name', { name: '   ' }],
    ['accent', { accent: 'red' }, 'must be a color such as #b4451f'],
    ['office_phone', { office_phone: '555' }, 'must be a mobile number in E.164 format'],
    ['license', { license: 'x'.repeat(101) }, 'must have at most 100 characters'],
    ['website', { website: 'acme.example' }, 'starts with https://, such as https://acme.example'],
    ['website', { website: 'http://acme.example' }],
    ['website', { website: 'javascript:alert(1)' }],
    ['website', { website: 'https://acme.example@evil.example/' }],
    ['website', { website: 'https://acme.example:99999' }],
    ['website', { website: 'https://acme.example/a b' }],
    ['website', { website: '' }],
    ['website', { website: `https://acme.example/${'x'.repeat(180)}` }],
    ['language', { language: 'fr' as never }],
    ['timezone', { timezone: 'pst' }],
    ['texts_until', { texts_from: 600, texts_until: 600 }],
    ['texts_until', { texts_until: 1441 }],
  ] as [string, Partial<BrandChange>, string?][])(
    'rejects an invalid %s, and changes nothing',
    async (field, change, advice = '') => {
      const before = await read();
      const reply = await save(await edited(change));
      expect([reply.status, reply.error.field]).toEqual([422, field]);
      expect(reply.error.message).toContain(advice);
      expect(await read()).toEqual(before);
    },
  );

  test('stores a website of the greatest length and a language, and clears the website with null', async () => {
    const change = { website: `https://acme.example/${'x'.repeat(179)}`, language: 'es' } as const;
    expect((await save(await edited(change))).body).toMatchObject(change);
    const cleared = { website: null, language: 'en' } as const;
    expect((await save(await edited(cleared))).body).toMatchObject(cleared);
  });

  test('rejects the second of two concurrent edits, and overwrites nothing', async () => {
    const mine = await edited({ name: 'Mine' });
    expect((await save(await edited({ name: 'Theirs' }))).status).toBe(200);
    const reply = await save(mine);
    expect([reply.status, reply.error.code]).toEqual([409, 'edit_conflict']);
    expect((await read()).name).toBe('Theirs');
  });

  test("an edit conflicts with a change by the operator's command", async () => {
    const mine = await edited({ name: 'Mine' });
    await team.run('org', 'set', team.organization.id, '--license', 'ROC 1');
    expect((await save(mine)).status).toBe(409);
    const before = await edited({ accent: '#123456' });
    const hours = ['--texts-from', '10:00', '--texts-until', '19:00'];
    await team.run('delivery', 'set', '--org', team.organization.id, ...hours);
    expect((await save(before)).status).toBe(409);
    expect(await read()).toMatchObject({ texts_from: 600, texts_until: 1140 });
  });
});

describe('the preview', () => {
  const draft = async (change: Partial<BrandChange>) => {
    const { version: _, ...body } = await edited(change);
    return team.manager.call('POST /brand/preview', { body });
  };

  test('shows the real page and text with the draft, and stores nothing', async () => {
    const before = await read();
    const { status, body } = await draft({
      name: 'Draft & Co',
      accent: '#ffd400',
      office_phone: '+13125550199',
      website: 'https://draft.example/',
    });
    expect(status).toBe(200);
    const page = await team.manager.get(body.page_path);
    const html = await page.text();
    expect(html).toContain('Draft &amp; Co');
    expect(html).toContain('tel:+13125550199');
    expect(html).toContain('>draft.example</a>');
    expect(html).not.toContain('/seen');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body.text.body).toMatch(/Draft & Co.*Reply STOP to opt out\. http.*\/i\/\w{12}$/);
    expect(body.segment_price).toBeNull();
    expect(await read()).toEqual(before);
  });

  test('shows the requested color scheme, regardless of the device', async () => {
    const { body } = await draft({});
    const [light, dark] = await Promise.all(
      ['light', 'dark'].map(async (scheme) => (await team.manager.get(`${body.page_path}&scheme=${scheme}`)).text()),
    );
    expect(light).toContain('@media not all');
    expect(dark).toContain('@media all');
    for (const html of [light, dark]) expect(html).not.toContain('prefers-color-scheme:dark');
  });

  test('serves its pictures, and its video in ranges', async () => {
    const poster = await team.manager.get('/console/page-preview/poster.jpg');
    expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const part = await team.manager.get('/console/page-preview/sample.mp4', { range: 'bytes=4-7' });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    expect((await team.manager.get('/console/page-preview/logo.png')).status).toBe(404);
    expect((await team.manager.get('/console/page-preview/card.jpg')).status).toBe(404);
  });

  test('works only for the user who created it', async () => {
    const { body } = await draft({});
    expect((await team.owner.get(body.page_path)).status).toBe(404);
    expect((await team.manager.get(`${body.page_path.slice(0, -2)}zz`)).status).toBe(404);
    expect((await fetch(team.service.url + body.page_path)).status).toBe(401);
  });
});
