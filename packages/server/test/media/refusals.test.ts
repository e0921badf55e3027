import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { BUILT_IN_CLIP } from '../../src/recordings/media/index.ts';
import { changeBox, makeBox } from './boxes.ts';
import { expectRefusal, makeFolder, makeSample, OPUS, PATIENCE_MS, VP8 } from './studio.ts';

async function fileOf(content: Buffer | string): Promise<string> {
  const file = join(await makeFolder(), 'take.mp4');
  await writeFile(file, content);
  return file;
}

const changed = async (change: (bytes: Buffer) => Buffer): Promise<string> =>
  fileOf(change(await readFile(await makeSample(await makeFolder()))));

describe('refuses, with a sentence for the member,', { timeout: PATIENCE_MS }, () => {
  it.each([
    ['no bytes at all', ''],
    ['a page of HTML', '<!doctype html><html><body><video src="/etc/passwd"></video></body></html>'],
    ['a playlist', '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'],
    ['a list of files to join', "ffconcat version 1.0\nfile '/etc/passwd'\nduration 5\n"],
    ['random bytes', randomBytes(100_000)],
    ['a program', Buffer.concat([Buffer.from([0x7f]), Buffer.from('ELF'), randomBytes(4_000)])],
  ])('%s', async (_what, content) => {
    await expectRefusal(await fileOf(content), 'not_a_video');
  });

  it('an MP4 whose end, with all its tables, never came', async () => {
    await expectRefusal(await changed((bytes) => bytes.subarray(0, bytes.length / 2)), 'broken');
  });

  it('a file that begins like a video and goes on at random', async () => {
    const clip = await readFile(BUILT_IN_CLIP);
    await expectRefusal(await fileOf(Buffer.concat([clip.subarray(0, 600), randomBytes(50_000)])), 'broken');
  });

  it('an MP4 that takes its frames from another file', async () => {
    const elsewhere = await changed((bytes) =>
      changeBox(bytes, 'moov/trak/mdia/minf/dinf/dref', (body) => {
        const place = Buffer.concat([Buffer.from([0, 0, 0, 0]), Buffer.from('file:///etc/passwd\0')]);
        return Buffer.concat([body.subarray(0, 8), makeBox('url ', place)]);
      }),
    );
    await expectRefusal(elsewhere, 'not_a_video');
  });

  it('ten minutes', async () => {
    const file = await makeSample(await makeFolder(), { size: '64x64', rate: 2, seconds: 600, audio: null });
    await expectRefusal(file, 'too_long');
  });

  it('more than a minute of sound under a shorter picture', async () => {
    const file = await makeSample(await makeFolder(), {
      size: '64x64',
      seconds: 70,
      rate: 2,
      videoFilter: "select='lt(t,58)'",
    });
    await expectRefusal(file, 'too_long');
  });

  it('ten minutes whose header claims two seconds', async () => {
    const long = await readFile(
      await makeSample(await makeFolder(), { size: '64x64', rate: 2, seconds: 600, audio: null }),
    );
    const lying = changeBox(long, 'moov/mvhd', (body) => {
      body.writeUInt32BE(2_000, 16);
      return body;
    });
    await expectRefusal(await fileOf(lying), 'too_long');
  });

  it('sound without a picture', async () => {
    await expectRefusal(await makeSample(await makeFolder(), { video: null }), 'no_picture');
  });

  it('a single frame', async () => {
    await expectRefusal(await makeSample(await makeFolder(), { seconds: 1 / 30, audio: null }), 'broken');
  });

  it('a header that asks for a picture of 16,384 by 16,384', async () => {
    const bomb = await changed((bytes) =>
      changeBox(bytes, 'moov/trak/mdia/minf/stbl/stsd/avc1', (body) => {
        body.writeUInt16BE(16_384, 24);
        body.writeUInt16BE(16_384, 26);
        return body;
      }),
    );
    await expectRefusal(bomb, 'too_large');
  });

  it('frames that ask for 16,383 by 16,383 under a header that says 180 by 320', async () => {
    const bytes = await readFile(
      await makeSample(await makeFolder(), { name: 'take.webm', video: VP8, audio: OPUS, seconds: 1 }),
    );
    // The start code of a VP8 key frame; the sides follow.
    const start = Buffer.from([0x9d, 0x01, 0x2a]);
    for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1))
      bytes.writeUInt32LE(0x3fff3fff, at + 3);
    await expectRefusal(await fileOf(bytes), 'broken');
  });
});
