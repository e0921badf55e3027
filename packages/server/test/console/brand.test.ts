import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { type BrandChange, openBrand } from './brand-fixture.ts';
import { openConsole } from './console-client.ts';

const fixture = await forFile(openBrand());

describe('the brand', () => {
  test('is saved as a whole, with trimmed texts and a lowercase color', async () => {
    const body = await fixture.edited({
      name: '  Acme Roofing & Sons ',
      accent: '#B4451F',
      office_phone: '+13125550100',
      license: ' TX-RC 1234 ',
      website: 'https://www.acme.example/',
      timezone: 'America/Denver',
      texts_from: 540,
      texts_until: 1200,
    });
    const saved = await fixture.manager.call('POST /brand', { body });
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
    expect(await fixture.read()).toEqual(saved.body);
    expect((await fixture.manager.call('GET /session')).body.organization).toMatchObject({
      timezone: 'America/Denver',
    });
  });

  test.each([
    ['name', { name: '   ' }],
    ['accent', { accent: 'red' }],
    ['office_phone', { office_phone: '555' }],
    ['license', { license: 'x'.repeat(101) }],
    ['website', { website: 'acme.example' }],
    ['website', { website: 'http://acme.example' }],
    ['website', { website: 'javascript:alert(1)' }],
    ['website', { website: 'https://acme.example@evil.example/' }],
    ['website', { website: 'https://acme.example:99999' }],
    ['website', { website: 'https://acme.example/a b' }],
    ['website', { website: '' }],
    ['website', { website: `https://acme.example/${'x'.repeat(180)}` }],
    ['timezone', { timezone: 'pst' }],
    ['texts_until', { texts_from: 600, texts_until: 600 }],
    ['texts_until', { texts_until: 1441 }],
  ])('rejects an invalid %s, and changes nothing', async (field, change) => {
    const before = await fixture.read();
    const reply = await fixture.manager.call('POST /brand', { body: await fixture.edited(change) });
    expect([reply.status, reply.error.field]).toEqual([422, field]);
    expect(await fixture.read()).toEqual(before);
  });

  test.each([
    ['website', 'acme.example', 'starts with https://, such as https://acme.example'],
    ['accent', 'red', 'must be a color such as #b4451f'],
    ['office_phone', '555', 'must be a mobile number in E.164 format'],
    ['license', 'x'.repeat(101), 'must have at most 100 characters'],
  ])('says what the %s must look like', async (field, value, expected) => {
    const reply = await fixture.manager.call('POST /brand', { body: await fixture.edited({ [field]: value }) });
    expect(reply.error.message).toContain(expected);
  });

  test('stores a website of the greatest length, and clears it with null', async () => {
    const website = `https://acme.example/${'x'.repeat(179)}`;
    expect((await fixture.manager.call('POST /brand', { body: await fixture.edited({ website }) })).body.website).toBe(
      website,
    );
    expect(
      (await fixture.manager.call('POST /brand', { body: await fixture.edited({ website: null }) })).body.website,
    ).toBeNull();
  });

  test('stores the language, and rejects unknown ones', async () => {
    const { body } = await fixture.manager.call('POST /brand', { body: await fixture.edited({ language: 'es' }) });
    expect(body.language).toBe('es');
    const reply = await fixture.manager.call('POST /brand', { body: await fixture.edited({ language: 'fr' as 'es' }) });
    expect([reply.status, reply.error.field]).toEqual([422, 'language']);
    await fixture.manager.call('POST /brand', { body: await fixture.edited({ language: 'en' }) });
  });

  test('rejects the second of two concurrent edits, and overwrites nothing', async () => {
    const mine = await fixture.edited({ name: 'Mine' });
    expect((await fixture.manager.call('POST /brand', { body: await fixture.edited({ name: 'Theirs' }) })).status).toBe(
      200,
    );
    const reply = await fixture.manager.call('POST /brand', { body: mine });
    expect([reply.status, reply.error.code]).toEqual([409, 'edit_conflict']);
    expect((await fixture.read()).name).toBe('Theirs');
  });

  test("an edit conflicts with a change by the operator's command", async () => {
    const mine = await fixture.edited({ name: 'Mine' });
    await fixture.run('org', 'set', fixture.organization.id, '--license', 'ROC 1');
    expect((await fixture.manager.call('POST /brand', { body: mine })).status).toBe(409);
  });

  test('is closed to members, and separate for each organization', async () => {
    const member = await openConsole(
      { url: fixture.service.url, environment: fixture.environment },
      { org: fixture.organization.id, email: 'ana@acme.example' },
    );
    for (const key of ['GET /brand', 'POST /brand/preview', 'POST /brand/logo'] as const) {
      expect((await member.call(key)).status, key).toBe(403);
    }
    expect((await member.get('/console/brand-preview?draft=x')).status).toBe(403);
    const other = await fixture.newOrganization({ name: 'Other' });
    const stranger = await fixture.signIn(other.id, 'manager');
    expect((await fixture.read(stranger)).name).toBe('Other');
  });
});

describe('the preview', () => {
  const draft = async (change: Partial<BrandChange>) => {
    const { version: _, ...body } = await fixture.edited(change);
    return fixture.manager.call('POST /brand/preview', { body });
  };

  test('shows the real page and text with the draft, and stores nothing', async () => {
    const before = await fixture.read();
    const { status, body } = await draft({
      name: 'Draft & Co',
      accent: '#ffd400',
      office_phone: '+13125550199',
      website: 'https://draft.example/',
    });
    expect(status).toBe(200);
    const page = await fixture.manager.get(body.page_path);
    const html = await page.text();
    expect(html).toContain('Draft &amp; Co');
    expect(html).toContain('tel:+13125550199');
    expect(html).toContain('>draft.example</a>');
    expect(html).not.toContain('/seen');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body.text.body).toMatch(/Draft & Co.*Reply STOP to opt out\. http.*\/i\/\w{12}$/);
    expect(body.segment_price).toBeNull();
    expect(await fixture.read()).toEqual(before);
  });

  test('reports an adjusted color where the chosen one would be unreadable', async () => {
    const pale = (await draft({ accent: '#ffe9a0' })).body;
    expect(pale.light).toMatchObject({ accent: '#ffe9a0', button_differs: false, text_differs: true });
    expect(pale.dark).toMatchObject({ accent: '#ffe9a0', button_differs: false, text_differs: false });
    const good = (await draft({ accent: '#1a4d8f' })).body;
    expect(good.light).toMatchObject({ accent: '#1a4d8f', on_accent: '#ffffff', button_differs: false });
    for (const { contrast } of [pale.light, pale.dark, good.light, good.dark])
      expect(contrast).toBeGreaterThanOrEqual(4.5);
  });

  test('shows the requested color scheme, regardless of the device', async () => {
    const { body } = await draft({});
    const [light, dark] = await Promise.all(
      ['light', 'dark'].map(async (scheme) => (await fixture.manager.get(`${body.page_path}&scheme=${scheme}`)).text()),
    );
    expect(light).toContain('@media not all');
    expect(dark).toContain('@media all');
    for (const html of [light, dark]) expect(html).not.toContain('prefers-color-scheme:dark');
  });

  test('serves its pictures, and its video in ranges', async () => {
    const poster = await fixture.manager.get('/console/brand-preview/poster.jpg');
    expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const part = await fixture.manager.get('/console/brand-preview/sample.mp4', { range: 'bytes=4-7' });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    expect((await fixture.manager.get('/console/brand-preview/logo.png')).status).toBe(404);
    expect((await fixture.manager.get('/console/brand-preview/card.jpg')).status).toBe(404);
  });

  test('works only for the user who created it', async () => {
    const { body } = await draft({});
    const owner = await fixture.signIn(fixture.organization.id, 'owner');
    expect((await owner.get(body.page_path)).status).toBe(404);
    expect((await fixture.manager.get(`${body.page_path.slice(0, -2)}zz`)).status).toBe(404);
    expect((await fetch(fixture.service.url + body.page_path)).status).toBe(401);
  });
});
