import { describe, expect, test } from 'vitest';
import { makePng, readPng } from '../cli/picture-maker.ts';
import { forFile } from '../harness/index.ts';
import { openBrand } from './brand-fixture.ts';

const RED = [220, 30, 30] as const;
const BLUE = [20, 40, 200] as const;

const fixture = await forFile(openBrand());

const sendLogo = async (file: Buffer, version?: number) =>
  fixture.manager.call('POST /brand/logo', {
    body: { version: version ?? (await fixture.read()).version, file: file.toString('base64') },
  });

const svg = (inside: string, attributes = 'viewBox="0 0 200 50"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`);

describe('the logo', () => {
  test('is re-encoded and shown to the team, and the previous one is deleted', async () => {
    const first = await sendLogo(makePng({ width: 600, height: 100 }, RED, BLUE));
    expect(first.status).toBe(200);
    const [kept] = fixture.pictures();
    expect(first.body.logo_url).toBe(`/console/files/${encodeURIComponent(`${fixture.organization.id}/${kept}`)}`);
    const shown = await fixture.manager.get(first.body.logo_url ?? '');
    expect(readPng(Buffer.from(await shown.arrayBuffer()))).toMatchObject({ width: 400, height: 67 });

    const second = await sendLogo(makePng({ width: 100, height: 100 }, BLUE, RED));
    expect(second.status).toBe(200);
    expect(fixture.pictures()).toHaveLength(1);
    expect(fixture.pictures()).not.toContain(kept);
    expect((await fixture.manager.get(first.body.logo_url ?? '')).status).toBe(404);
  });

  test('is kept when the same one is uploaded again', async () => {
    const again = await sendLogo(makePng({ width: 100, height: 100 }, BLUE, RED));
    expect(again.status).toBe(200);
    expect((await fixture.manager.get(again.body.logo_url ?? '')).status).toBe(200);
  });

  test('is drawn from an SVG at page resolution, with its colors and without its scripts', async () => {
    const drawing = svg(
      '<script>alert(1)</script><rect width="100" height="50" fill="#dc1e1e"/><path d="M100 0h100v50H100z" fill="#1428c8" onclick="alert(2)"/>',
    );
    const { status, body } = await sendLogo(drawing);
    expect(status).toBe(200);
    const picture = readPng(Buffer.from(await (await fixture.manager.get(body.logo_url ?? '')).arrayBuffer()));
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
    const [before, brand] = [fixture.pictures(), await fixture.read()];
    const reply = await sendLogo(file);
    expect([reply.status, reply.error.field]).toEqual([422, 'file']);
    expect(reply.error.message).toMatch(new RegExp(says));
    expect([fixture.pictures(), await fixture.read()]).toEqual([before, brand]);
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
    const before = fixture.pictures();
    const reply = await sendLogo(makePng({ width: 50, height: 50 }, RED, RED), 1);
    expect([reply.status, reply.error.code]).toEqual([409, 'edit_conflict']);
    expect(fixture.pictures()).toEqual(before);
  });

  test('is removed together with its picture', async () => {
    const { version } = await fixture.read();
    const reply = await fixture.manager.call('POST /brand/logo/remove', { body: { version } });
    expect([reply.status, reply.body.logo_url]).toEqual([200, null]);
    expect(fixture.pictures()).toEqual([]);
  });
});
