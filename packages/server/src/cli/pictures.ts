import fs from 'node:fs/promises';
import { PICTURE_MAX_BYTES } from '@foreword/contract';
import pino from 'pino';
import type { Config } from '../app/config/index.ts';
import { reasonOf } from '../db/requirements.ts';
import { openWorkFolders } from '../platform/work-folders.ts';
import { createEncoder, type Picture, storePicture as store } from '../recordings/index.ts';
import { openStore } from './connection.ts';
import { Failure } from './terminal.ts';

const log = pino({ level: 'silent' });

async function readPictureFile(file: string): Promise<Buffer> {
  try {
    const stats = await fs.stat(file);
    if (!stats.isFile()) throw new Failure(`${file} is not a file.`);
    if (stats.size > PICTURE_MAX_BYTES) throw new Failure(`${file} is larger than ${PICTURE_MAX_BYTES / 1e6} MB.`);
    return await fs.readFile(file);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`Cannot read ${file}: ${reasonOf(error)}`);
  }
}

/** Converts and stores the picture from a file, and returns its key. */
export async function storePicture(
  config: Config,
  picture: Omit<Picture, 'bytes'> & { file: string },
): Promise<string> {
  const { file, ...rest } = picture;
  const bytes = await readPictureFile(file);
  const encoder = createEncoder({
    ffmpegPath: config.ffmpegPath,
    log,
    workFolders: openWorkFolders(config),
    isolate: config.isolateMedia,
  });
  const stored = await store({ objects: openStore(config), encoder }, { ...rest, bytes });
  if ('refused' in stored) throw new Failure(`${file} ${stored.refused}.`);
  return stored.key;
}
