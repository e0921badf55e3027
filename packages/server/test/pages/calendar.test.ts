import { describe, expect, test, vi } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openPages, type PageSetup, TEXTS_FROM } from './page-fixture.ts';

const fixture = await forFile(openPages());

async function download(setup: PageSetup): Promise<string> {
  const intro = await fixture.createIntro(setup);
  const response = await fetch(`${fixture.url}${intro.path}/appointment.ics`);
  expect(response.status).toBe(200);
  return response.text();
}

/** A minimal parser of RFC 5545 and 2425: lines end in CRLF, and a leading space continues the previous line. */
function parse(file: string): Map<string, string> {
  expect(file.endsWith('\r\n')).toBe(true);
  expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  for (const line of file.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const lines = file.replaceAll('\r\n ', '').trimEnd().split('\r\n');
  return new Map(
    lines.map((line) => {
      const [, name = '', value = ''] = /^([A-Z-]+)(?:;[^:"]*(?:"[^"]*")?)*:(.*)$/.exec(line) ?? [];
      expect(name, line).not.toBe('');
      return [name, value];
    }),
  );
}

const unfold = (text = '') => text.replaceAll(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character));

test('the calendar file has an appointment of an hour, in UTC, and is the same at each download', async () => {
  const intro = await fixture.createIntro({});
  const get = () => fetch(`${fixture.url}${intro.path}/appointment.ics`).then((response) => response.text());
  const first = await get();
  const entry = parse(first);
  expect(first).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:/);
  expect(entry.get('DTSTART')).toBe('20260312T193000Z');
  expect(entry.get('DTEND')).toBe('20260312T203000Z');
  expect(entry.get('UID')).toBe(`${intro.id}@intros.acme.example`);
  expect(entry.get('DTSTAMP')).toBe('20260305T100000Z');
  expect(unfold(entry.get('SUMMARY'))).toBe('Ana Ng, Acme Roofing');
  expect(unfold(entry.get('DESCRIPTION'))).toBe('Questions? Call (312) 555-0117.');
  expect(first).toContain('ORGANIZER;CN="Ana Ng, Acme Roofing":');
  expect(await get()).toBe(first);
});

test('names with special and multi-byte characters stay one value in the calendar file', async () => {
  const name = 'Sons; Daughters, "Roof\\Co" 屋根工事の専門家と家族の会社 🏠🏠🏠 GmbH & Co. KG: since 1899';
  const entry = parse(await download({ organization: { name } }));
  expect(unfold(entry.get('SUMMARY'))).toBe(`Ana Ng, ${name}`);
});

test('an intro without an appointment has no calendar file', async () => {
  const intro = await fixture.createIntro({ context: null });
  expect((await fetch(`${fixture.url}${intro.path}/appointment.ics`)).status).toBe(404);
});

test('calendar links contain the same times', async () => {
  const intro = await fixture.createIntro({});
  const page = await (await fetch(fixture.url + intro.path)).text();
  const links = [...page.matchAll(/href="(https:[^"]*)"/g)].map(
    ([, address = '']) => new URL(address.replaceAll('&amp;', '&')),
  );
  const google = links.find(({ hostname }) => hostname === 'calendar.google.com');
  const outlook = links.find(({ hostname }) => hostname === 'outlook.live.com');
  expect(google?.searchParams.get('dates')).toBe('20260312T193000Z/20260312T203000Z');
  expect(outlook?.searchParams.get('startdt')).toBe('2026-03-12T19:30:00Z');
  expect(outlook?.searchParams.get('enddt')).toBe('2026-03-12T20:30:00Z');
  expect(outlook?.searchParams.get('subject')).toBe('Ana Ng, Acme Roofing');
});

describe('the contact card', () => {
  async function save(setup: PageSetup = {}) {
    const intro = await fixture.createIntro(setup);
    const response = await fetch(`${fixture.url}${intro.path}/contact.vcf`);
    return { intro, response, card: await response.text() };
  }

  test('has the member with photo, the company, and every number once', async () => {
    const photo = Buffer.alloc(9_000, 'a face');
    const { response, card } = await save({
      responsibility: 'service',
      member: { photo },
      organization: { website: 'https://acme.example/' },
    });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/vcard; charset=utf-8',
      'content-disposition': `inline; filename="Ana Ng.vcf"; filename*=UTF-8''Ana%20Ng.vcf`,
      'cache-control': 'private, no-store',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    });
    expect(card).toMatch(/^BEGIN:VCARD\r\nVERSION:3\.0\r\n/);
    const entry = parse(card);
    expect(Object.fromEntries(entry)).toMatchObject({
      N: 'Ng;Ana;;;',
      FN: 'Ana Ng',
      ORG: 'Acme Roofing',
      TITLE: 'project manager',
    });
    expect(Buffer.from(entry.get('PHOTO') ?? '', 'base64')).toEqual(photo);
    expect(card.match(/^TEL.*/gm)).toEqual([
      'TEL;TYPE=WORK,VOICE:+13125550100',
      'TEL;TYPE=CELL:+13125550117',
      `TEL;TYPE=CELL:${TEXTS_FROM}`,
    ]);
  });

  test('has no photo while the store of files is away', async () => {
    const open = vi.spyOn(fixture.objects, 'open').mockRejectedValue(new Error('no connection'));
    const { response, card } = await save({ member: { photo: Buffer.from('a face') } });
    open.mockRestore();
    expect(response.status).toBe(200);
    expect([...parse(card).keys()]).not.toContain('PHOTO');
    expect(parse(card).get('FN')).toBe('Ana Ng');
  });

  test('hostile names stay one value, and cannot leave the header', async () => {
    const hostile = 'A\u2028TEL:+1900;B,C\\D"/../E 🏠\u0085X';
    const { response, card } = await save({
      member: { first_name: hostile, phone: null },
      organization: { name: hostile },
    });
    const entry = parse(card);
    expect([...entry.keys()]).toEqual(['BEGIN', 'VERSION', 'N', 'FN', 'ORG', 'TITLE', 'TEL', 'END']);
    expect(card).not.toMatch(/[\u0085\u2028\u2029]/);
    expect(unfold(entry.get('ORG'))).toBe('A\nTEL:+1900;B,C\\D"/../E 🏠\nX');
    expect(response.headers.get('content-disposition')).toMatch(
      /^inline; filename="[\w -]+\.vcf"; filename\*=UTF-8''[\w%-]+\.vcf$/,
    );
  });

  test('is offered on the page, and only with a number', async () => {
    const { intro } = await save();
    expect(await (await fetch(fixture.url + intro.path)).text()).toContain(`href="${intro.path}/contact.vcf"`);
    const none = await save({ organization: { office_phone: null }, member: { phone: null } });
    expect(none.response.status).toBe(404);
    expect(await (await fetch(fixture.url + none.intro.path)).text()).not.toContain('contact.vcf');
  });
});
