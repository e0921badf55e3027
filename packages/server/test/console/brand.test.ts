import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsoleBody } from '@foreword/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePng, readPng } from '../cli/picture-maker.ts';
import {
  createTestDatabase,
  createTestOrganization,
  foreword,
  forewordProgram,
  type Service,
  startService,
  type TestDatabase,
  type TestOrganization,
} from '../harness/index.ts';
import { type ConsoleClient, openConsole } from './console-client.ts';

const RED = [220, 30, 30] as const;
const BLUE = [20, 40, 200] as const;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-brand-'));

let database: TestDatabase;
let service: Service;
let environment: Record<string, string>;
let organization: TestOrganization;
let manager: ConsoleClient;

beforeAll(async () => {
  database = await createTestDatabase();
  environment = {
    DATABASE_URL: database.url,
    OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
    FOREWORD_DEMO: 'off',
    FFMPEG_PATH: 'off',
  };
  service = await startService(environment);
  organization = await createTestOrganization(environment, service.url);
  manager = await signIn(organization.id, 'manager');
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  fs.rmSync(folder, { recursive: true });
});

async function signIn(org: string, role: string): Promise<ConsoleClient> {
  const email = `${role}@acme.example`;
  const names = ['--first-name', 'Rae', '--last-name', 'Ortiz', '--email', email, '--role', role];
  await foreword(environment, 'member', 'create', '--org', org, ...names);
  return openConsole({ url: service.url, environment }, { org, email });
}

type Change = ConsoleBody<'POST /brand'>;

async function read(client = manager): Promise<Change & { logo_url: string | null }> {
  return (await client.call('GET /brand')).body;
}

async function edited(change: Partial<Change>): Promise<Change> {
  const { logo_url: _, ...brand } = await read();
  return { ...brand, ...change };
}

/** The stored pictures. */
const pictures = (): string[] => {
  const place = path.join(folder, 'objects', organization.id);
  return fs.existsSync(place) ? fs.readdirSync(place).sort() : [];
};

const sendLogo = async (file: Buffer, version?: number) =>
  manager.call('POST /brand/logo', {
    body: { version: version ?? (await read()).version, file: file.toString('base64') },
  });

const svg = (inside: string, attributes = 'viewBox="0 0 200 50"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

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
    const saved = await manager.call('POST /brand', { body });
    expect(saved.status).toBe(200);
    expect(saved.body).toEqual({
      version: body.version + 1,
      name: 'Acme Roofing & Sons',
      accent: '#b4451f',
      office_phone: '+13125550100',
      license: 'TX-RC 1234',
      website: 'https://www.acme.example/',
      timezone: 'America/Denver',
      texts_from: 540,
      texts_until: 1200,
      logo_url: null,
    });
    expect(await read()).toEqual(saved.body);
    expect((await manager.call('GET /session')).body.organization).toMatchObject({ timezone: 'America/Denver' });
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
    const before = await read();
    const reply = await manager.call('POST /brand', { body: await edited(change) });
    expect([reply.status, reply.error.field]).toEqual([422, field]);
    expect(await read()).toEqual(before);
  });

  test('says what a website must look like', async () => {
    const reply = await manager.call('POST /brand', { body: await edited({ website: 'acme.example' }) });
    expect(reply.error.message).toContain('starts with https://, such as https://acme.example');
  });

  test('keeps the website when an older console page does not send it, and clears it with null', async () => {
    const website = `https://acme.example/${'x'.repeat(179)}`;
    await manager.call('POST /brand', { body: await edited({ website }) });
    const { website: _, ...older } = await edited({ license: 'ROC 2' });
    expect((await manager.call('POST /brand', { body: older })).body).toMatchObject({ license: 'ROC 2', website });
    expect((await manager.call('POST /brand', { body: await edited({ website: null }) })).body.website).toBeNull();
  });

  test('rejects the second of two concurrent edits, and overwrites nothing', async () => {
    const mine = await edited({ name: 'Mine' });
    expect((await manager.call('POST /brand', { body: await edited({ name: 'Theirs' }) })).status).toBe(200);
    const reply = await manager.call('POST /brand', { body: mine });
    expect([reply.status, reply.error.code]).toEqual([409, 'edit_conflict']);
    expect((await read()).name).toBe('Theirs');
  });

  test("an edit conflicts with a change by the operator's command", async () => {
    const mine = await edited({ name: 'Mine' });
    await forewordProgram(environment, 'org', 'set', organization.id, '--license', 'ROC 1');
    expect((await manager.call('POST /brand', { body: mine })).status).toBe(409);
  });

  test('is closed to members, and separate for each organization', async () => {
    const member = await openConsole(
      { url: service.url, environment },
      { org: organization.id, email: 'ana@acme.example' },
    );
    for (const key of ['GET /brand', 'POST /brand/preview', 'POST /brand/logo'] as const) {
      expect((await member.call(key)).status, key).toBe(403);
    }
    expect((await member.get('/console/brand-preview?draft=x')).status).toBe(403);
    const other = await createTestOrganization(environment, service.url, { name: 'Other' });
    const stranger = await signIn(other.id, 'manager');
    expect((await read(stranger)).name).toBe('Other');
  });
});

describe('the logo', () => {
  test('is re-encoded and shown to the team, and the previous one is deleted', async () => {
    const first = await sendLogo(makePng({ width: 600, height: 100 }, RED, BLUE));
    expect(first.status).toBe(200);
    const [kept] = pictures();
    expect(first.body.logo_url).toBe(`/console/files/${encodeURIComponent(`${organization.id}/${kept}`)}`);
    const shown = await manager.get(first.body.logo_url ?? '');
    expect(readPng(Buffer.from(await shown.arrayBuffer()))).toMatchObject({ width: 400, height: 67 });

    const second = await sendLogo(makePng({ width: 100, height: 100 }, BLUE, RED));
    expect(second.status).toBe(200);
    expect(pictures()).toHaveLength(1);
    expect(pictures()).not.toContain(kept);
    expect((await manager.get(first.body.logo_url ?? '')).status).toBe(404);
  });

  test('is kept when the same one is uploaded again', async () => {
    const again = await sendLogo(makePng({ width: 100, height: 100 }, BLUE, RED));
    expect(again.status).toBe(200);
    expect((await manager.get(again.body.logo_url ?? '')).status).toBe(200);
  });

  test('is drawn from an SVG at page resolution, with its colors and without its scripts', async () => {
    const drawing = svg(
      '<script>alert(1)</script><rect width="100" height="50" fill="#dc1e1e"/><path d="M100 0h100v50H100z" fill="#1428c8" onclick="alert(2)"/>',
    );
    const { status, body } = await sendLogo(drawing);
    expect(status).toBe(200);
    const picture = readPng(Buffer.from(await (await manager.get(body.logo_url ?? '')).arrayBuffer()));
    expect(picture).toMatchObject({ width: 400, height: 100 });
    expect([picture.at(50, 50), picture.at(350, 50)]).toEqual([RED, BLUE].map((color) => [...color]));
  });

  test.each([
    ['an external picture', svg('<image href="https://evil.example/p.png" width="9" height="9"/>'), 'outside the file'],
    ['a local file', svg('<image xlink:href="/etc/passwd"/>', 'xmlns:xlink="x"'), 'outside the file'],
    [
      'a style elsewhere',
      svg('<style>@import "//evil.example/a.css";</style><path d="M0 0h9v9"/>'),
      'outside the file',
    ],
    ['text without its font', svg('<text y="20">Acme</text>'), 'outlines'],
    ['a web page inside', svg('<foreignObject><p>Acme</p></foreignObject>'), 'web page'],
    ['entities', Buffer.from(`<!DOCTYPE svg [<!ENTITY a "b">]>${svg('<path d="M0 0h9v9"/>')}`), 'entities'],
    ['no content', svg(''), 'is empty'],
    ['broken markup', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect'), 'not a valid SVG'],
    ['too much text', svg(' '.repeat(600_000)), '500 KB'],
    ['no picture', Buffer.from('no picture at all'), 'neither a PNG nor a JPEG'],
  ])('with %s is rejected with advice, and the current one stays', async (_, file, says) => {
    const [before, brand] = [pictures(), await read()];
    const reply = await sendLogo(file);
    expect([reply.status, reply.error.field]).toEqual([422, 'file']);
    expect(reply.error.message).toMatch(new RegExp(says));
    expect([pictures(), await read()]).toEqual([before, brand]);
  });

  test('that takes too long to draw is rejected within seconds', async () => {
    const nested = Array.from(
      { length: 40 },
      (_, level) => `<g id="g${level + 1}"><use href="#g${level}"/><use href="#g${level}"/></g>`,
    ).join('');
    const reply = await sendLogo(svg(`<path id="g0" d="M0 0h9v9"/>${nested}`));
    expect(reply.status).toBe(422);
  });

  test('for an outdated version is rejected, and leaves no picture behind', async () => {
    const before = pictures();
    const reply = await sendLogo(makePng({ width: 50, height: 50 }, RED, RED), 1);
    expect([reply.status, reply.error.code]).toEqual([409, 'edit_conflict']);
    expect(pictures()).toEqual(before);
  });

  test('is removed together with its picture', async () => {
    const { version } = await read();
    const reply = await manager.call('POST /brand/logo/remove', { body: { version } });
    expect([reply.status, reply.body.logo_url]).toEqual([200, null]);
    expect(pictures()).toEqual([]);
  });
});

describe('the preview', () => {
  const draft = async (change: Partial<Change>) => {
    const { version: _, ...body } = await edited(change);
    return manager.call('POST /brand/preview', { body });
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
    const page = await manager.get(body.page_path);
    const html = await page.text();
    expect(html).toContain('Draft &amp; Co');
    expect(html).toContain('tel:+13125550199');
    expect(html).toContain('>draft.example</a>');
    expect(html).not.toContain('/seen');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body.text.body).toMatch(/Draft & Co.*Reply STOP to opt out\. http.*\/i\/\w{12}$/);
    expect(body.text).toMatchObject({ encoding: 'GSM-7', segments: Math.ceil(body.text.units / 153) });
    expect(await read()).toEqual(before);
  });

  test('reports an adjusted color where the chosen one would be unreadable', async () => {
    const pale = (await draft({ accent: '#ffe9a0' })).body;
    expect(pale.light).toMatchObject({ button_differs: true, text_differs: true });
    expect(pale.dark).toMatchObject({ accent: '#ffe9a0', button_differs: false, text_differs: false });
    const good = (await draft({ accent: '#1a4d8f' })).body;
    expect(good.light).toMatchObject({ accent: '#1a4d8f', on_accent: '#ffffff', button_differs: false });
    for (const { contrast } of [pale.light, pale.dark, good.light, good.dark])
      expect(contrast).toBeGreaterThanOrEqual(4.5);
  });

  test('shows the requested color scheme, regardless of the device', async () => {
    const { body } = await draft({});
    const [light, dark] = await Promise.all(
      ['light', 'dark'].map(async (scheme) => (await manager.get(`${body.page_path}&scheme=${scheme}`)).text()),
    );
    expect(light).toContain('@media not all');
    expect(dark).toContain('@media all');
    for (const html of [light, dark]) expect(html).not.toContain('prefers-color-scheme:dark');
  });

  test('serves its pictures, and its video in ranges', async () => {
    const poster = await manager.get('/console/brand-preview/poster.jpg');
    expect([poster.status, poster.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const part = await manager.get('/console/brand-preview/sample.mp4', { range: 'bytes=4-7' });
    expect([part.status, await part.text()]).toEqual([206, 'ftyp']);
    expect((await manager.get('/console/brand-preview/logo.png')).status).toBe(404);
    expect((await manager.get('/console/brand-preview/card.jpg')).status).toBe(404);
  });

  test('works only for the user who created it', async () => {
    const { body } = await draft({});
    const owner = await signIn(organization.id, 'owner');
    expect((await owner.get(body.page_path)).status).toBe(404);
    expect((await manager.get(`${body.page_path.slice(0, -2)}zz`)).status).toBe(404);
    expect((await fetch(service.url + body.page_path)).status).toBe(401);
  });
});
