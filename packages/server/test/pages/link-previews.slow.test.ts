import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { makeFolder, processTake, runJob } from '../media/media-fixture.ts';
import { fetchImage, LINK_PARSERS, type LinkParser, previewLink } from './link-parsers.ts';
import { openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const PUBLIC = 'https://intros.acme.example';
/** A person who speaks into a phone. */
const CLIP = join(import.meta.dirname, '../../src/recordings/media/clip.mp4');

const fixture = await forFile(openPages({ publicUrl: PUBLIC }));
const { into: folder } = await processTake(CLIP);
const card = await readFile(join(folder, 'card.jpg'));

/** The address on this machine that a proxy in front of the service would forward to. */
const local = (address: string): string => address.replace(PUBLIC, fixture.url);
const create = (setup: PageSetup = {}): Promise<PageIntro> =>
  fixture.createIntro({ status: 'sent', files: { 'card.jpg': card }, ...setup });
const preview = (parser: LinkParser, intro: PageIntro) => previewLink(parser, fixture.url + intro.path);

describe.each(LINK_PARSERS)('$name', (parser) => {
  test('shows the title, the description and the face', async () => {
    const intro = await create({ recipient: 'Bartholomew' });
    const shown = await preview(parser, intro);
    expect(shown).toMatchObject({
      status: 200,
      title: 'Meet Ana before Tuesday',
      description: parser.description.length === 0 ? null : 'A short video from Ana Ng at Acme Roofing.',
      image: `${PUBLIC}${intro.path}/card.jpg`,
    });
    expect(Object.fromEntries(shown.tags)).toMatchObject({
      'og:url': PUBLIC + intro.path,
      'og:site_name': 'Acme Roofing',
      'og:type': 'video.other',
      'og:locale': 'en_US',
      'og:image:type': 'image/jpeg',
      'og:image:width': '1200',
      'og:image:height': '630',
      'og:image:alt': 'Video from Ana Ng',
      'twitter:card': 'summary_large_image',
      robots: 'noindex',
    });
    const texts = [...shown.tags.values()].join('\n');
    expect(texts).not.toMatch(/Bartholomew|\+1\d{10}/);
    expect((await fixture.intro(intro.id)).opened_at).toBeNull();
  });

  test('accepts the picture', async () => {
    const { image } = await preview(parser, await create());
    const sent = await fetchImage(parser, local(image ?? ''));
    expect(sent).toMatchObject({
      statuses: [200, 206, 200],
      type: 'image/jpeg',
      length: card.length,
      cookies: 0,
      start: card.subarray(0, 1024),
    });
    expect(sent.bytes.equals(card)).toBe(true);
    expect(card.length).toBeLessThan(parser.imageBytes);
  });
});

const [imessage] = LINK_PARSERS as [LinkParser];

test.each([
  ['was cancelled', 410, "status = 'cancelled'"],
  ['has expired', 410, "status = 'expired'"],
  ['shows a member who withdrew consent', 410, 'likeness_withdrawn_at = now()'],
  ['belongs to a recipient who was erased', 410, 'erased_at = now()'],
  ['was taken down', 200, 'taken_down_at = now()'],
])('the preview has no face and no name once the page %s, and the picture is gone', async (_why, status, change) => {
  const intro = await create();
  const { image } = await preview(imessage, intro);
  await fixture.database.query(`update intros set ${change} where id = $1`, [intro.id]);
  const shown = await preview(imessage, intro);
  expect(shown).toMatchObject({ status, image: null });
  expect([...shown.tags.values()].join('\n')).not.toMatch(/Ana|Ng|Dana/);
  const { statuses, bytes } = await fetchImage(imessage, local(image ?? ''));
  expect([statuses, bytes.length]).toEqual([[410, 410, 410], 0]);
});

test('the tags are in the first 4 KB of the page, before its styles', async () => {
  const page = await (await fetch(fixture.url + (await create()).path)).text();
  expect(page.indexOf('summary_large_image')).toBeGreaterThan(0);
  expect(Buffer.byteLength(page.slice(0, page.indexOf('<style')))).toBeLessThan(4_000);
});

test('the picture has the face of a portrait video at 480 pixels, from 8% of its height down to the play icon', async () => {
  /** Gray levels of a part of a picture, scaled to 120×100. */
  async function readPart(name: string, filter: string): Promise<Buffer> {
    const into = await makeFolder();
    await copyFile(join(folder, name), join(into, name));
    await runJob(into, {
      input: { file: name, demuxer: 'image2' },
      video: { index: 0, filter: `${filter},scale=120:100:flags=area,format=gray`, codec: 'rawvideo', options: {} },
      output: { file: 'gray', muxer: 'rawvideo' },
    });
    return readFile(join(into, 'gray'));
  }
  const shown = await readPart('card.jpg', 'crop=480:400:360:0');
  const poster = await readPart('poster.jpg', "scale=480:-2,crop=480:400:0:'0.3*(ih-630)'");
  expect(shown).toHaveLength(12_000);
  const difference = shown.reduce((sum, level, at) => sum + Math.abs(level - (poster[at] ?? 0)), 0) / shown.length;
  expect(difference).toBeLessThan(4);
  // A plain area would match anything.
  const average = shown.reduce((sum, level) => sum + level, 0) / shown.length;
  expect(shown.reduce((sum, level) => sum + Math.abs(level - average), 0) / shown.length).toBeGreaterThan(12);
});
