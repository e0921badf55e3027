import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { Config } from '../../config.ts';
import { systemClock } from '../../platform/clock.ts';
import { openObjects } from '../../platform/objects.ts';
import { createEncoder } from '../../recordings/index.ts';
import { reasonOf } from '../connection.ts';
import { type Finding, ok, problem } from './finding.ts';

const log = pino({ level: 'silent' });

export async function checkObjects(config: Config): Promise<Finding> {
  const name = 'videos';
  const { protocol } = new URL(config.objectsUrl);
  if (protocol === 'file:' && !fs.existsSync(fileURLToPath(config.objectsUrl))) {
    return ok(name, 'The first start creates their folder.');
  }
  try {
    const objects = openObjects(config.objectsUrl, { clock: systemClock, credentials: config.objectsCredentials });
    await objects.check();
    return ok(name, 'The store at OBJECTS_URL is readable and writable.');
  } catch (error) {
    return problem(name, `${reasonOf(error)}.`, 'Fix OBJECTS_URL or the permissions of its user.');
  }
}

export async function checkEncoder(config: Config): Promise<Finding> {
  const name = 'video encoder';
  if (!config.roles.has('media')) return ok(name, 'Not needed: FOREWORD_ROLE does not include media here.');
  try {
    const encoder = createEncoder({ ffmpegPath: config.ffmpegPath, log });
    return ok(name, `${await encoder.describe()}.`);
  } catch (error) {
    return problem(
      name,
      `${reasonOf(error)}.`,
      'Install ffmpeg, set FFMPEG_PATH, or run npm ci without --omit=optional.',
    );
  }
}
