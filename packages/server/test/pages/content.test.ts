import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages, type PageSetup, TEXTS_FROM } from './page-fixture.ts';

const PUBLIC = 'https://intros.acme.example';
const fixture = await forFile(openPages({ publicUrl: PUBLIC }));

async function read(setup: PageSetup = {}, headers: Record<string, string> = {}) {
  const intro = await fixture.createIntro(setup);
  const response = await fetch(fixture.url + intro.path, { headers });
  expect(response.status).toBe(200);
  return { intro, response, page: await response.text() };
}

/** Values of an attribute, between double quotes. */
const valuesOf = (page: string, name: string) =>
  [...page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
const withoutScripts = (page: string) => page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '');
const textOf = (page: string) =>
  withoutScripts(page)
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('\u00a0', ' ');

describe('the text of the page', () => {
  test('has the title, member, role, appointment in its time zone, phone numbers and how to verify them', async () => {
    const { page } = await read();
    const text = textOf(page);
    for (const part of [
      'Meet Ana before Tuesday',
      'For Dana',
      'Ana Ng',
      'your project manager at Acme Roofing',
      'Thursday, March 12 at 2:30 PM',
      'Central Daylight Time',
      'Call Ana',
      'Text Ana',
      'Is this really from Acme Roofing?',
      '(312) 555-0100',
      'IL 104.018842',
      'March 5, 2026',
    ])
      expect(text).toContain(part);
    expect(valuesOf(page, 'href')).toEqual(expect.arrayContaining(['tel:+13125550117', 'sms:+13125550117']));
    expect(valuesOf(page, 'srclang')).toEqual(['en']);
  });

  test('shows the year of an appointment only when it differs', async () => {
    const appointment = { starts_at: '2027-01-02T01:00:00.000Z', timezone: 'America/Los_Angeles' };
    expect(textOf((await read({ context: { appointment } })).page)).toContain('Friday, January 1, 2027 at 5:00 PM');
  });

  test('shows the current call to action of the touchpoint, unless that hides it', async () => {
    const { intro, page } = await read({
      action: { label: 'See our work', url: 'https://acme.example/gallery?a=1&b=2' },
    });
    expect(page).toContain('href="https://acme.example/gallery?a=1&amp;b=2"');
    const pageWith = async (change: string) => {
      await fixture.database.query(`update touchpoints set ${change} where organization_id = $1`, [
        intro.organizationId,
      ]);
      return (await fetch(fixture.url + intro.path)).text();
    };
    expect(await pageWith("action_label = 'See our roofs'")).toContain('See our roofs');
    expect(await pageWith('shows_action = false')).not.toMatch(/See our roofs|acme\.example\/gallery/);
  });

  test('links to the website by its host name, sends it no referrer, and loads nothing from it', async () => {
    const { page, response } = await read({ organization: { website: 'https://www.acme.example/video?a=1&b=2' } });
    expect(page).toContain(
      '<dt>Website</dt><dd><a href="https://www.acme.example/%76ideo?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">www.acme.example</a></dd>',
    );
    expect(response.headers.get('content-security-policy')).not.toContain('acme.example');
  });

  test('has no empty card, button, list entry or "null" for missing values', async () => {
    const { page } = await read({
      context: null,
      organization: { office_phone: null, license: null },
      member: { title: null, phone: null },
      video: { width: 720, height: 1280, durationMs: 9_000, captions: false, preview: false },
    });
    for (const trace of [
      'tel:',
      'sms:',
      'meet"',
      'reach"',
      '<track',
      'License',
      'Office',
      'Website',
      '<img',
      'calendar',
    ])
      expect(withoutScripts(page)).not.toContain(trace);
    expect(textOf(page)).not.toMatch(/null|undefined|NaN|Invalid/);
    expect(textOf(page)).toContain('at Acme Roofing');
    expect(page).toContain('>A few words from <bdi>Ana</bdi></h1>');
  });

  test('shows the office number when the member has none', async () => {
    const { page } = await read({ member: { phone: null } });
    expect(textOf(page)).toContain('Call the office(312) 555-0100');
    expect(valuesOf(page, 'href')).toContain('tel:+13125550100');
  });

  test.each([
    ['the number that texts the recipient, if the member has none', 'service', null, [`sms:${TEXTS_FROM}`]],
    ['nothing if the integration texts, as the office may have a landline', 'integration', null, []],
    ["the member's number, whoever texts", 'integration', '+13125550117', ['sms:+13125550117']],
  ] as const)('offers for texts %s', async (_what, responsibility, phone, expected) => {
    const { page } = await read({ responsibility, member: { phone } });
    expect(valuesOf(page, 'href').filter((address) => address.startsWith('sms:'))).toEqual(expected);
  });

  test.each([
    ['Dana, meet Ana', 'Dana', 'Ana', 'ltr', '<bdi>Dana</bdi>, meet <bdi>Ana</bdi>'],
    ['فاطمة, meet Ana (Ng)', 'فاطمة', 'Ana', 'ltr', '<bdi>فاطمة</bdi>, meet <bdi>Ana</bdi> (Ng)'],
    ['מיכל כאן בשבילך, Dana', 'Dana', 'מיכל', 'rtl', '<bdi>מיכל</bdi> כאן בשבילך, <bdi>Dana</bdi>'],
    ['Anabel and Ana+', 'Ana', 'A+', 'ltr', 'Anabel and <bdi>Ana</bdi>+'],
    ['فاطمة 🙂', 'فاطمة', 'Ana', 'auto', '<bdi>فاطمة</bdi> 🙂'],
  ])(
    'shows the title %j in the direction of its words, with each name isolated',
    async (title, recipient, first_name, direction, shown) => {
      const { page } = await read({ recipient, member: { first_name }, context: { title } });
      expect(page).toContain(`<h1 dir="${direction}">${shown}</h1>`);
    },
  );
});

describe('hostile text on the page', () => {
  const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&amp;{{7*7}}\u202e`;

  test('is escaped everywhere', async () => {
    const plain = await read({ action: { label: 'Go', url: 'https://acme.example/' } });
    const { page } = await read({
      recipient: HOSTILE,
      context: { title: HOSTILE, appointment: { starts_at: '2026-03-12T19:30:00Z', timezone: 'America/Chicago' } },
      organization: { name: HOSTILE, license: HOSTILE },
      member: { first_name: HOSTILE, last_name: HOSTILE, title: HOSTILE },
      action: { label: HOSTILE, url: `https://acme.example/"><script>alert(2)</script>` },
    });
    const tagsOf = (text: string) => text.match(/<[a-z!/][^\s>]*/gi);
    expect(tagsOf(withoutScripts(page))).toEqual(tagsOf(withoutScripts(plain.page)));
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\sonerror=/);
  });

  test('cannot change the direction of the text around it', async () => {
    const { page } = await read({
      context: { title: 'abc\u202etxt.exe' },
      organization: { name: 'Acme\u2067' },
      member: { first_name: '\u202dAna' },
    });
    expect(page).toContain('<meta property="og:title" content="abctxt.exe">');
    expect(page).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});

describe('addresses on the page', () => {
  test('include exactly one .mp4, in a quoted src, which opens without cookies', async () => {
    const { intro, page } = await read({
      action: { label: 'Watch more', url: 'https://acme.example/videos/tour.mp4' },
    });
    const [source = '', ...others] = [...page.matchAll(/src="([^"]*\.mp4)"/g)].map(([, address = '']) => address);
    expect(others).toEqual([]);
    expect(source).toBe(intro.videoPath);
    const rest = [
      ...valuesOf(page, 'href'),
      ...valuesOf(page, 'content'),
      ...valuesOf(page, 'src'),
      ...valuesOf(page, 'poster'),
    ];
    expect(rest.filter((address) => /\.mp4|\/video/i.test(address))).toEqual([source]);
    const video = await fetch(new URL(source, fixture.url));
    expect(video.status).toBe(200);
    expect(video.headers.get('content-type')).toBe('video/mp4');
    expect(video.headers.get('set-cookie')).toBeNull();
  });

  test('are based on PUBLIC_URL when absolute, not on the request host', async () => {
    const { page, intro } = await read({}, { 'x-forwarded-host': 'evil.example' });
    const absolute = valuesOf(page, 'content').filter((value) => value.startsWith('http'));
    expect(absolute).toEqual([`${PUBLIC}${intro.path}`, `${PUBLIC}${intro.path}/card.jpg`]);
  });
});

describe('the response', () => {
  test('fits into 14 KB including headers, with Brotli and gzip', async () => {
    const long = 'Über die Maßen lange Überschrift '.repeat(3);
    for (const encoding of ['br', 'gzip']) {
      const { response } = await read({ context: { title: long } }, { 'accept-encoding': encoding });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      const head = [...response.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 20);
      expect(head + Number(response.headers.get('content-length'))).toBeLessThan(14 * 1024);
    }
  });

  test('is uncompressed when the client accepts no encoding', async () => {
    const { response, page } = await read({}, { 'accept-encoding': 'identity' });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(page).toMatch(/^<!doctype html>/);
  });

  test('allows only its own script and styles, and cannot be framed', async () => {
    const { response, page } = await read();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page).not.toMatch(/<[^>]*\s(style|on[a-z]+)="/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    });
  });

  test('is 304 for an unchanged page, and complete once anything on it has changed', async () => {
    const { intro, response } = await read();
    const etag = response.headers.get('etag') ?? '';
    const again = () => fetch(fixture.url + intro.path, { headers: { 'if-none-match': etag } });
    const same = await again();
    expect([same.status, await same.text()]).toEqual([304, '']);
    await fixture.database.sql`update members set title = 'owner' where organization_id = ${intro.organizationId}`;
    const changed = await again();
    expect(changed.status).toBe(200);
    expect(await changed.text()).toContain('your owner at Acme Roofing');
  });

  test('to HEAD has no body', async () => {
    const { intro } = await read();
    const send = (method: string) =>
      fetch(fixture.url + intro.path, { method, headers: { 'accept-encoding': 'gzip' } });
    const [head, whole] = [await send('HEAD'), await send('GET')];
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(whole.headers.get('content-length'));
    expect(await head.text()).toBe('');
  });
});
