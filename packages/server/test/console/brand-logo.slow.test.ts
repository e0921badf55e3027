import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePng, readPng } from '../cli/picture-maker.ts';
import { forFile, OBJECTS_FOLDER } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const RED = [220, 30, 30] as const;
const BLUE = [20, 40, 200] as const;

const LIMIT = 500_000;
const team = await forFile(openTeam());
const readBrand = async () => (await team.manager.call('GET /brand')).body;
/** The stored pictures of the organization. */
function pictures(): string[] {
  const folder = path.join(OBJECTS_FOLDER, team.organization.id);
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
}
const fill = (before: string, text: string, after = ''): Buffer =>
  Buffer.from(before + text.repeat(Math.floor((LIMIT - before.length - after.length) / text.length)) + after);

const sendLogo = async (file: Buffer, version?: number) =>
  team.manager.call('POST /brand/logo', {
    body: { version: version ?? (await readBrand()).version, file: file.toString('base64') },
  });

const svg = (inside: string, attributes = 'viewBox="0 0 200 50"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

describe('the logo', () => {
  test('is re-encoded and shown to the team, and the previous one is deleted', async () => {
    const first = await sendLogo(makePng({ width: 600, height: 100 }, RED, BLUE));
    expect(first.status).toBe(200);
    const [kept] = pictures();
    expect(first.body.logo_url).toBe(`/console/files/${encodeURIComponent(`${team.organization.id}/${kept}`)}`);
    const shown = await team.manager.get(first.body.logo_url ?? '');
    expect(readPng(Buffer.from(await shown.arrayBuffer()))).toMatchObject({ width: 400, height: 67 });

    const second = await sendLogo(makePng({ width: 100, height: 100 }, BLUE, RED));
    expect(second.status).toBe(200);
    expect(pictures()).toHaveLength(1);
    expect(pictures()).not.toContain(kept);
    expect((await team.manager.get(first.body.logo_url ?? '')).status).toBe(404);
  });

  test('is kept when the same one is uploaded again', async () => {
    const again = await sendLogo(makePng({ width: 100, height: 100 }, BLUE, RED));
    expect(again.status).toBe(200);
    expect((await team.manager.get(again.body.logo_url ?? '')).status).toBe(200);
  });

  test('is drawn from an SVG at page resolution, with its colors and without its scripts', async () => {
    const drawing = svg(
      '<script>alert(1)</script><rect width="100" height="50" fill="#dc1e1e"/><path d="M100 0h100v50H100z" fill="#1428c8" onclick="alert(2)"/>',
    );
    const { status, body } = await sendLogo(drawing);
    expect(status).toBe(200);
    const picture = readPng(Buffer.from(await (await team.manager.get(body.logo_url ?? '')).arrayBuffer()));
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
    ['many comments', Buffer.from(`${'<!---->'.repeat(500)}<html>`), ''],
    ['comments that are never closed', fill('<svg xmlns="http://www.w3.org/2000/svg">', '<!--'), ''],
    ['a long gap in a URL', fill('<svg><style>a{b:url(', ' ', ')}</style></svg>'), ''],
    ['a long gap in an import', fill('<svg><style>@import ', ' ', ';</style></svg>'), ''],
    ['nested entities', Buffer.from('<!DOCTYPE svg [<!ENTITY a "&b;&b;&b;&b;">]><svg>&a;</svg>'), ''],
    ['an entity in a comment', Buffer.from('<!DOCTYPE svg [<!EN<!-- -->TITY a "b">]><svg>&a;</svg>'), ''],
    ['ten thousand groups', Buffer.from(`<svg>${'<g>'.repeat(10_000)}${'</g>'.repeat(10_000)}</svg>`), ''],
  ])('with %s is rejected with advice, and the current one stays', async (_, file, says) => {
    const [before, brand] = [pictures(), await readBrand()];
    const reply = await sendLogo(file);
    expect([reply.status, reply.error.field]).toEqual([422, 'file']);
    expect(reply.error.message).toMatch(new RegExp(says));
    expect([pictures(), await readBrand()]).toEqual([before, brand]);
  });

  test('that takes too long to draw is rejected', async () => {
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
    const { version } = await readBrand();
    const reply = await team.manager.call('POST /brand/logo/remove', { body: { version } });
    expect([reply.status, reply.body.logo_url]).toEqual([200, null]);
    expect(pictures()).toEqual([]);
  });
});
