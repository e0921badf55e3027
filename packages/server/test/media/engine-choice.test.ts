import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { chooseEngine } from '../../src/recordings/media/engine/choose.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const ENCODERS = ['libx264', 'aac', 'mjpeg', 'libwebp_anim'];

const workingDirectory = process.cwd();

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
  // The npm package makes its folder the working directory, which the tests of this process share.
  process.chdir(workingDirectory);
});

/** Puts a program on the PATH that only reports its version and encoders. */
function installFfmpeg(version: string, encoders: readonly string[]): string {
  const bin = fs.mkdtempSync(path.join(folder, 'bin-'));
  const program = path.join(bin, 'ffmpeg');
  const lines = encoders.map((name) => `echo ' V..... ${name}  an encoder'`).join('\n');
  fs.writeFileSync(program, `#!/bin/sh\ncase "$*" in *-version*) echo 'ffmpeg version ${version}' ;; esac\n${lines}\n`);
  fs.chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  return program;
}

describe('without FFMPEG_PATH', () => {
  test('prefers a suitable ffmpeg on the PATH to the npm package', async () => {
    const program = installFfmpeg('7.1', ENCODERS);
    const { choice, description } = await chooseEngine(undefined, folder);
    expect(choice).toEqual({ program });
    expect(description).toContain(program);
  });

  test.each([
    ['is too old', '4.4', ENCODERS],
    ['cannot encode H.264', '7.1', ENCODERS.slice(1)],
  ])('uses the npm package when the ffmpeg on the PATH %s', async (_reason, version, encoders) => {
    installFfmpeg(version, encoders);
    expect((await chooseEngine(undefined, folder)).choice).toEqual({ library: true });
  });
});

test('FFMPEG_PATH=off uses the npm package even with a suitable ffmpeg on the PATH', async () => {
  installFfmpeg('7.1', ENCODERS);
  expect((await chooseEngine('off', folder)).choice).toEqual({ library: true });
});

test('FFMPEG_PATH names a program that must work, without falling back', async () => {
  const program = installFfmpeg('7.1', ['aac']);
  await expect(chooseEngine(program, folder)).rejects.toThrow('lacks the encoders libx264');
});
