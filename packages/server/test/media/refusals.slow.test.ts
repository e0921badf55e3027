import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { BUILT_IN_CLIP } from '../../src/recordings/media/index.ts';
import { expectRefusal, makeFolder, makeSample, OPUS, VP8 } from './media-fixture.ts';
import { changeBox, makeBox } from './mp4-boxes.ts';

async function fileOf(content: Buffer | string): Promise<string> {
  const file = join(await makeFolder(), 'take.mp4');
  await writeFile(file, content);
  return file;
}

const changed = async (change: (bytes: Buffer) => Buffer): Promise<string> =>
  fileOf(change(await readFile(await makeSample(await makeFolder()))));

describe('the encoder refuses, with a message for the member,', () => {
  test.each([
    ['an empty file', ''],
    ['an HTML page', '<!doctype html><html><body><video src="/etc/passwd"></video></body></html>'],
    ['a playlist', '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'],
    ['a list of files to join', "ffconcat version 1.0\nfile '/etc/passwd'\nduration 5\n"],
    ['random bytes', randomBytes(100_000)],
    ['a program', Buffer.concat([Buffer.from([0x7f]), Buffer.from('ELF'), randomBytes(4_000)])],
  ])('%s', async (_case, content) => {
    await expectRefusal(await fileOf(content), 'not_a_video');
  });

  test('an MP4 that was cut off before its tables', async () => {
    await expectRefusal(await changed((bytes) => bytes.subarray(0, bytes.length / 2)), 'broken');
  });

  test('a file that starts like a video and continues with random bytes', async () => {
    const clip = await readFile(BUILT_IN_CLIP);
    await expectRefusal(await fileOf(Buffer.concat([clip.subarray(0, 600), randomBytes(50_000)])), 'broken');
  });

  test('an MP4 of a few megabytes with 200,000 edits', async () => {
    const edits = await changed((bytes) =>
      changeBox(bytes, 'moov/trak/edts', () => {
        const list = Buffer.alloc(8 + 12 * 200_000);
        list.writeUInt32BE(200_000, 4);
        for (let at = 8; at < list.length; at += 12) {
          list.writeUInt32BE(1, at);
          list.writeUInt32BE(0x10000, at + 8);
        }
        return makeBox('elst', list);
      }),
    );
    await expectRefusal(edits, 'too_complex');
  });

  test('more than a minute of sound with a shorter picture', async () => {
    const file = await makeSample(await makeFolder(), {
      size: '64x64',
      seconds: 70,
      rate: 2,
      videoFilter: "select='lt(t,58)'",
    });
    await expectRefusal(file, 'too_long');
  });

  test('a video of ten minutes, even if its header claims two seconds', async () => {
    const long = await makeSample(await makeFolder(), { size: '64x64', rate: 2, seconds: 600, audio: null });
    await expectRefusal(long, 'too_long');
    const forged = changeBox(await readFile(long), 'moov/mvhd', (body) => {
      body.writeUInt32BE(2_000, 16);
      return body;
    });
    await expectRefusal(await fileOf(forged), 'too_long');
  });

  test('sound without a picture', async () => {
    await expectRefusal(await makeSample(await makeFolder(), { video: null }), 'no_picture');
  });

  test('a single frame', async () => {
    await expectRefusal(await makeSample(await makeFolder(), { seconds: 1 / 30, audio: null }), 'broken');
  });

  test('a header that declares 16,384 by 16,384 pixels', async () => {
    const bomb = await changed((bytes) =>
      changeBox(bytes, 'moov/trak/mdia/minf/stbl/stsd/avc1', (body) => {
        body.writeUInt16BE(16_384, 24);
        body.writeUInt16BE(16_384, 26);
        return body;
      }),
    );
    await expectRefusal(bomb, 'too_large');
  });

  test('frames of 16,383 by 16,383 pixels in a file whose header declares 180 by 320', async () => {
    const bytes = await readFile(
      await makeSample(await makeFolder(), { name: 'take.webm', video: VP8, audio: OPUS, seconds: 1 }),
    );
    // The start code of a VP8 key frame; width and height follow.
    const start = Buffer.from([0x9d, 0x01, 0x2a]);
    for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1))
      bytes.writeUInt32LE(0x3fff3fff, at + 3);
    await expectRefusal(await fileOf(bytes), 'broken');
  });
});
