import { fileURLToPath } from 'node:url';
import {
  findIsolation,
  type Isolation,
  noIsolation,
  readableFor,
  readableForProgram,
} from '../../platform/isolation.ts';
import { locateProgram } from './engine/choose.ts';
import { CHILD, type MediaJob, NODE_FLAGS } from './job-runner.ts';

/** The folder of all sources; in the npm package, of the JavaScript. */
const SOURCES = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The strictest isolation in which a media process can start and read its programs. */
export async function findMediaIsolation(options: {
  isWanted: boolean;
  ffmpegPath: string | undefined;
  folder: string;
}): Promise<Isolation> {
  const { isWanted, ffmpegPath, folder } = options;
  if (!isWanted) return noIsolation('MEDIA_ISOLATION is off');
  const program = await locateProgram(ffmpegPath);
  const programs = program === undefined ? [] : await readableForProgram(program);
  const job: MediaJob = { kind: 'start', into: '.' };
  return findIsolation({
    trial: [process.execPath, ...NODE_FLAGS, CHILD, JSON.stringify(job)],
    readable: [...(await readableFor(SOURCES)), ...programs],
    folder,
  });
}
