import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import type { Config } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import { openObjects } from '../platform/objects.ts';
import { createEncoder } from '../recordings/index.ts';
import { Failure } from './failure.ts';
import { reasonOf } from './session.ts';

const MAX_MB = 10;
const HASH_LENGTH = 16;

const TYPES = { logo: 'image/png', face: 'image/jpeg' } as const;

async function readPictureFile(file: string): Promise<Buffer> {
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile()) throw new Failure(`${file} is not a file.`);
    if (stats.size > MAX_MB * 1_000_000) throw new Failure(`${file} is larger than ${MAX_MB} MB.`);
    return await fs.readFile(file);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${file} cannot be read: ${reasonOf(error)}`);
  }
}

async function redraw(config: Config, file: string, shape: keyof typeof TYPES): Promise<Buffer> {
  const bytes = await readPictureFile(file);
  const encoder = createEncoder({ ffmpegPath: config.ffmpegPath, log: pino({ level: 'silent' }) });
  const into = await fs.mkdtemp(path.join(os.tmpdir(), 'foreword-picture-'));
  try {
    const redrawn = await encoder.redraw({ bytes, shape, into, signal: new AbortController().signal });
    if ('refused' in redrawn) throw new Failure(`${file} ${redrawn.refused}.`);
    return redrawn.picture;
  } finally {
    await fs.rm(into, { recursive: true, force: true });
  }
}

/**
 * Keeps a picture as the pages show it, never as it came, and gives its key. The key names the content, so that doing it again
 * does no harm, and a page in the making never shows half of two pictures.
 */
export async function keepPicture(
  config: Config,
  picture: { file: string; shape: keyof typeof TYPES; keyFor(hash: string): string },
): Promise<string> {
  const { file, shape, keyFor } = picture;
  const bytes = await redraw(config, file, shape);
  const key = keyFor(createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH));
  const objects = openObjects(config.objectsUrl, { clock: systemClock, credentials: config.objectsCredentials });
  await objects.put(key, bytes, { type: TYPES[shape] });
  return key;
}
