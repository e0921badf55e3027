import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { errorOf, foreword, forFile, openService, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { makePng, pngChunk, readPng, withOrientation } from './picture-maker.ts';

const folder = temporaryFolder();
const objects = path.join(folder, 'objects');
const settings = { OBJECTS_URL: pathToFileURL(objects).href };
const fixture = await forFile(openService(settings, { organization: { name: 'Acme' } }));
const environment = { ...fixture.environment, ...settings, FFMPEG_PATH: 'off' };
const { id: org, memberId: member } = fixture.organization;
const RED = [220, 30, 30] as const;
const BLUE = [20, 40, 200] as const;
const SECRET = 'made at 41.8781 N, 87.6298 W';

const run = (...args: string[]) => foreword(environment, ...args);
const stored = (key: string): Buffer => fs.readFileSync(path.join(objects, key));
/** Every file in the organization's folder. */
const files = (): string[] =>
  fs.existsSync(path.join(objects, org))
    ? fs.readdirSync(path.join(objects, org), { recursive: true }).map(String).sort()
    : [];

function write(name: string, content: Buffer): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

const refused = async (code: number, ...args: string[]) =>
  errorOf(await tryForeword(environment, ...args, '--json'), code);

describe('what recipients see of an organization', () => {
  test('changes field by field, appears in the list, and can be removed', async () => {
    const texts = ['--accent', '#B4451F', '--office-phone', '+13125550100', '--license', 'IL 104.018842'];
    const changed = await run('org', 'set', org, ...texts);
    const expected = { name: 'Acme', accent: '#b4451f', office_phone: '+13125550100', license: 'IL 104.018842' };
    expect(changed).toMatchObject({ id: org, object: 'organization', ...expected, logo: null });
    expect(await run('org', 'set', org, '--name', 'Acme Roofing')).toEqual({ ...changed, name: 'Acme Roofing' });
    expect(await run('org', 'set', org, '--license', '', '--accent', '')).toMatchObject({
      license: null,
      accent: null,
    });
    expect((await run('org', 'list')).data[0]).toMatchObject({ name: 'Acme Roofing', office_phone: '+13125550100' });
  });

  test('includes a logo redrawn at a small size, keeping its shape and dropping its metadata', async () => {
    const comment = pngChunk('tEXt', Buffer.from(`Comment\0${SECRET}`));
    const file = write('wide.png', makePng({ width: 1200, height: 300 }, RED, BLUE, comment));
    const { logo } = await run('org', 'set', org, '--logo', file);
    expect(logo).toMatch(new RegExp(`^${org}/logo-[0-9a-f]{16}\\.png$`));
    const picture = readPng(stored(logo));
    expect([picture.width, picture.height]).toEqual([400, 100]);
    expect([picture.at(10, 50), picture.at(390, 50)]).toEqual([[...RED], [...BLUE]]);
    expect(stored(logo).includes(SECRET)).toBe(false);
    expect((await run('org', 'set', org, '--logo', file)).logo).toBe(logo);
    expect((await run('org', 'set', org, '--logo', '')).logo).toBeNull();
  });

  test('includes a small logo at its own size', async () => {
    const file = write('small.png', makePng({ width: 90, height: 40 }, RED, BLUE));
    const picture = readPng(stored((await run('org', 'set', org, '--logo', file)).logo));
    expect([picture.width, picture.height]).toEqual([90, 40]);
  });
});

describe('what recipients see of a member', () => {
  test('changes field by field, and can be removed', async () => {
    const args = ['--title', 'project manager', '--phone', '+14155550117', '--notify', 'both', '--last-name', 'Ngo'];
    const changed = await run('member', 'set', member, ...args);
    const expected = { title: 'project manager', phone: '+14155550117', notify: 'both', last_name: 'Ngo' };
    expect(changed).toMatchObject({ id: member, object: 'member', first_name: 'Ana', ...expected, photo: null });
    expect(await run('member', 'set', member, '--title', '')).toEqual({ ...changed, title: null });
    expect((await run('member', 'list', '--org', org)).data[0]).toMatchObject({ notify: 'both', last_name: 'Ngo' });
  });

  test('includes a square photo; a sideways JPEG is turned upright and loses its EXIF data', async () => {
    const file = write('face.png', makePng({ width: 800, height: 600 }, RED, BLUE));
    const { photo } = await run('member', 'set', member, '--photo', file);
    expect(photo).toMatch(new RegExp(`^${org}/members/${member}-[0-9a-f]{16}\\.jpg$`));
    expect(stored(photo).subarray(0, 2).toString('hex')).toBe('ffd8');
    const held = write('held.jpg', withOrientation(stored(photo), 6, SECRET));
    const upright = stored((await run('org', 'set', org, '--logo', held)).logo);
    const { width, height, at } = readPng(upright);
    expect([width, height]).toEqual([160, 160]);
    // Rotating a quarter turn clockwise moves the left half to the top.
    const isRed = ([red = 0, , blue = 0]: number[]) => red > 180 && blue < 80;
    expect([at(20, 20), at(140, 20), at(20, 140), at(140, 140)].map(isRed)).toEqual([true, true, false, false]);
    const kindOfAll = fs.readdirSync(path.join(objects, org, 'members'));
    expect(kindOfAll).toHaveLength(1);
    expect(upright.includes('41.8781')).toBe(false);
  });
});

describe('an invalid picture is refused in one line, and nothing is stored', () => {
  const png = makePng({ width: 64, height: 64 }, RED, BLUE);
  const wrongData = Buffer.concat([
    png.subarray(0, 33),
    pngChunk('IDAT', Buffer.from('no picture')),
    png.subarray(-12),
  ]);
  const huge = Buffer.from(png);
  huge.writeUInt32BE(60_000, 16);
  test.each([
    ['text', Buffer.from('<p>no picture</p>'), 'neither a PNG nor a JPEG'],
    ['an empty drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'is empty'],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), 'neither a PNG nor a JPEG'],
    ['an empty file', Buffer.alloc(0), 'neither a PNG nor a JPEG'],
    ['half a PNG', png.subarray(0, 60), 'damaged'],
    ['a PNG without a picture', wrongData, 'damaged'],
    ['a JPEG that ends in its header', Buffer.from('ffd8ffe000104a46', 'hex'), 'damaged'],
    ['a PNG with more pixels than memory', huge, 'make it smaller'],
    ['a picture of one pixel', makePng({ width: 1, height: 1 }, RED, BLUE), 'at least 16'],
    ['eleven megabytes', Buffer.concat([png, Buffer.alloc(11_000_000)]), '10 MB'],
  ])('%s', async (_, content, named) => {
    const [before, list] = [files(), await run('org', 'list')];
    const file = write('hostile.png', content);
    expect(await refused(1, 'org', 'set', org, '--name', 'Changed', '--logo', file)).toContain(named);
    expect([files(), await run('org', 'list')]).toEqual([before, list]);
  });

  test('a folder and a missing file are refused', async () => {
    expect(await refused(1, 'org', 'set', org, '--logo', folder)).toContain('is not a file');
    expect(await refused(1, 'member', 'set', member, '--photo', `${folder}/none.jpg`)).toContain('none.jpg');
    expect(await refused(1, 'member', 'set', 'mem_none', '--photo', `${folder}/none.jpg`)).toContain('mem_none');
  });
});

test('a touchpoint button is set and removed as a whole', async () => {
  const set = (...args: string[]) => run('touchpoint', 'set', '--org', org, 'project_update', ...args);
  const button = { action_label: 'Leave a review', action_url: 'https://g.page/r/acme/review' };
  const given = await set('--action-label', button.action_label, '--action-url', button.action_url);
  expect(given).toMatchObject(button);
  expect(await set('--name', 'Update')).toMatchObject(button);
  const secret = ['--action-label', 'Pay', '--action-url', 'https://user:pass@acme.example/pay'];
  const message = await refused(2, 'touchpoint', 'set', '--org', org, 'project_update', ...secret);
  expect(message).toContain('without a user name or password');
  expect(await set('--action-label', '', '--action-url', '')).toMatchObject({ action_label: null, action_url: null });
});
