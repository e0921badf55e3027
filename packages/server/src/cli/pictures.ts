import fs from 'node:fs/promises';
import pino from 'pino';
import type { Config } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import { openObjects } from '../platform/objects.ts';
import { createEncoder, storePicture as keep, PICTURE_MAX_BYTES, type Picture } from '../recordings/index.ts';
import { Failure } from './failure.ts';
import { reasonOf } from './session.ts';

const log = pino({ level: 'silent' });

async function readPictureFile(file: string): Promise<Buffer> {
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile()) throw new Failure(`${file} is not a file.`);
    if (stats.size > PICTURE_MAX_BYTES) throw new Failure(`${file} is larger than ${PICTURE_MAX_BYTES / 1e6} MB.`);
    return await fs.readFile(file);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** Keeps the picture in that file as the pages show it, and gives its key. */
export async function storePicture(
  config: Config,
  picture: Omit<Picture, 'bytes'> & { file: string },
): Promise<string> {
  const { file, ...rest } = picture;
  const bytes = await readPictureFile(file);
  const objects = openObjects(config.objectsUrl, { clock: systemClock, credentials: config.objectsCredentials });
  const encoder = createEncoder({ ffmpegPath: config.ffmpegPath, log });
  const kept = await keep({ objects, encoder }, { ...rest, bytes });
  if ('refused' in kept) throw new Failure(`${file} ${kept.refused}.`);
  return kept.key;
}
