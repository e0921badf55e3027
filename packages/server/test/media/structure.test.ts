import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_CLIP } from '../../src/recordings/media/index.ts';
import { findStructureFault } from '../../src/recordings/media/structure/index.ts';
import {
  MAX_ATTACHMENTS,
  MAX_DEPTH,
  MAX_EDITS,
  MAX_FORMATS,
  MAX_FRAGMENTS,
  MAX_METADATA,
  MAX_PACKETS,
  MAX_TABLES_BYTES,
  MAX_TRACK_PACKETS,
} from '../../src/recordings/media/structure/limits.ts';
import { element, liveWebm, simpleBlock, times, unknownSize } from './matroska-elements.ts';
import { makeFolder } from './media-fixture.ts';
import { changeBox, makeBox } from './mp4-boxes.ts';

const clip = await readFile(BUILT_IN_CLIP);

async function faultIn(bytes: Buffer, demuxer: 'mov' | 'matroska'): Promise<string | null> {
  const file = join(await makeFolder(), 'take');
  await writeFile(file, bytes);
  return findStructureFault(file, demuxer);
}

/** Version, flags and numbers of 32 bits, then zeros. */
function table(type: string, numbers: number[], zeros = 0): Buffer {
  const body = Buffer.alloc(4 + 4 * numbers.length + zeros);
  for (const [n, value] of numbers.entries()) body.writeUInt32BE(value, 4 + 4 * n);
  return makeBox(type, body);
}

/** The built-in clip with one more box at the end of another one. */
const withBox = (path: string, box: Buffer): Buffer => changeBox(clip, path, (body) => Buffer.concat([body, box]));
const STBL = 'moov/trak/mdia/minf/stbl';

function nested(type: string, depth: number): Buffer {
  return depth === 0 ? Buffer.alloc(0) : makeBox(type, nested(type, depth - 1));
}

describe('the check before decoding refuses as too complex an MP4', () => {
  const TOO_MANY = MAX_TRACK_PACKETS + 1;
  test.each<[string, () => Buffer]>([
    ['with one edit too many', () => withBox('moov/trak', makeBox('edts', table('elst', [MAX_EDITS + 1])))],
    ...['stts', 'ctts', 'stsc', 'stco', 'co64', 'stss'].map((type): [string, () => Buffer] => [
      `whose ${type} claims too many entries`,
      () => withBox(STBL, table(type, [TOO_MANY])),
    ]),
    ['whose samples are too many', () => withBox(STBL, table('stsz', [0, TOO_MANY]))],
    ['whose picture has too many samples of one size', () => withBox(STBL, table('stsz', [1, TOO_MANY]))],
    ['whose one time applies to too many samples', () => withBox(STBL, table('stts', [1, 2 ** 31, 1]))],
    ['with too many formats', () => withBox(STBL, table('stsd', [MAX_FORMATS + 1]))],
    ['with too many samples in a group', () => withBox(STBL, table('sbgp', [0, TOO_MANY]))],
    ['with too many groups of samples', () => withBox(STBL, table('sgpd', [0, TOO_MANY]))],
    ['with too many tracks', () => withBox('moov', Buffer.concat(times(8, () => makeBox('trak', Buffer.alloc(0)))))],
    ['with too many fragments', () => Buffer.concat([clip, ...times(MAX_FRAGMENTS + 1, () => nested('moof', 1))])],
    [
      'whose fragments have too many packets',
      () => {
        const run = makeBox('moof', makeBox('traf', table('trun', [20_000])));
        return Buffer.concat([clip, run, run, run]);
      },
    ],
    [
      'with too many boxes',
      () => withBox('moov', Buffer.concat(times(50_000, () => makeBox('skip', Buffer.alloc(0))))),
    ],
    ['that is nested too deeply', () => withBox('moov', nested('udta', MAX_DEPTH + 1))],
    ['with too many names of metadata', () => withBox('moov', table('keys', [MAX_METADATA + 1]))],
    ['with tables of more than 16 MB', () => withBox('moov', makeBox('free', Buffer.alloc(MAX_TABLES_BYTES)))],
    ['with compressed tables', () => withBox('moov', makeBox('cmov', Buffer.alloc(8)))],
    ['with tables in a box that others skip', () => Buffer.concat([makeBox('free', nested('mvhd', 1)), clip])],
  ])('%s', async (_case, make) => {
    expect(await faultIn(make(), 'mov')).toBe('too_complex');
  });
});

describe('the check before decoding refuses as too complex a WebM file', () => {
  const tags = (child: () => Buffer, count: number) => element(0x1254c367, Buffer.concat(times(count, child)));
  const nestedTag = (depth: number): Buffer => element(0x67c8, depth === 0 ? Buffer.alloc(0) : nestedTag(depth - 1));
  test.each<[string, () => Buffer[]]>([
    [
      'with too many tracks',
      () => [element(0x1654ae6b, Buffer.concat(times(9, () => element(0xae, Buffer.alloc(0)))))],
    ],
    [
      'with too many cues',
      () => [element(0x1c53bb6b, Buffer.concat(times(20_000, () => element(0xbb, Buffer.alloc(0)))))],
    ],
    ['with too many clusters', () => times(MAX_FRAGMENTS + 1, () => element(0x1f43b675, Buffer.alloc(0)))],
    ['with too many packets', () => [element(0x1f43b675, Buffer.concat(times(MAX_PACKETS + 1, () => simpleBlock(0))))]],
    [
      'whose blocks have too many frames',
      () => [element(0x1f43b675, Buffer.concat(times(200, () => simpleBlock(255))))],
    ],
    ['with too many tags', () => [tags(() => element(0x7373, Buffer.alloc(0)), MAX_METADATA + 1)]],
    ['with tags that are nested too deeply', () => [tags(() => element(0x7373, nestedTag(20)), 1)]],
    [
      'with too many attachments',
      () => [element(0x1941a469, Buffer.concat(times(MAX_ATTACHMENTS + 1, () => element(0x61a7, Buffer.alloc(9)))))],
    ],
    ['with tags of more than 16 MB', () => [element(0x1254c367, Buffer.alloc(MAX_TABLES_BYTES + 1))]],
    ['with cues of unknown size', () => [unknownSize(0x1c53bb6b)]],
  ])('%s', async (_case, make) => {
    expect(await faultIn(liveWebm(...make()), 'matroska')).toBe('too_complex');
  });
});

describe('the check before decoding accepts', () => {
  test('the built-in clip', async () => {
    expect(await faultIn(clip, 'mov')).toBeNull();
  });

  test('a minute of MP4 in fragments of a sixtieth of a second', async () => {
    const fragment = Buffer.concat([
      makeBox('moof', Buffer.concat([table('mfhd', [1]), makeBox('traf', table('trun', [5]))])),
      makeBox('mdat', Buffer.alloc(10)),
    ]);
    expect(await faultIn(Buffer.concat([clip, ...times(MAX_FRAGMENTS, () => fragment)]), 'mov')).toBeNull();
  });

  test('a minute of uncompressed sound, whose samples are all of one size', async () => {
    const sound = Buffer.concat([
      makeBox(
        'mdia',
        Buffer.concat([
          makeBox(
            'minf',
            makeBox('stbl', Buffer.concat([table('stsz', [4, 48_000 * 60]), table('stts', [1, 48_000 * 60, 1])])),
          ),
          makeBox('hdlr', Buffer.concat([Buffer.alloc(8), Buffer.from('soun')])),
        ]),
      ),
    ]);
    expect(await faultIn(withBox('moov', makeBox('trak', sound)), 'mov')).toBeNull();
  });

  test('a minute of WebM as browsers record it: clusters without a size, 60 pictures and 50 sounds a second', async () => {
    const clusters = times(60, () => Buffer.concat([unknownSize(0x1f43b675), ...times(110, () => simpleBlock(0))]));
    expect(await faultIn(liveWebm(...clusters, element(0x1c53bb6b, Buffer.alloc(100))), 'matroska')).toBeNull();
  });

  test('counts what follows a cluster without a size as part of the file, not of the cluster', async () => {
    const clusters = times(MAX_FRAGMENTS + 1, () => Buffer.concat([unknownSize(0x1f43b675), simpleBlock(0)]));
    expect(await faultIn(liveWebm(...clusters.slice(1)), 'matroska')).toBeNull();
    expect(await faultIn(liveWebm(...clusters), 'matroska')).toBe('too_complex');
  });
});

test('an MP4 that takes its frames from another file is refused as no video', async () => {
  const elsewhere = changeBox(clip, `${STBL.replace('/stbl', '')}/dinf/dref`, (body) =>
    Buffer.concat([body.subarray(0, 8), makeBox('url ', Buffer.from('\0\0\0\0file:///etc/passwd\0'))]),
  );
  expect(await faultIn(elsewhere, 'mov')).toBe('not_a_video');
});
