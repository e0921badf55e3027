import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Engine } from './engine.ts';
import { programEngine } from './ffmpeg.ts';
import { libraryEngine } from './node-av.ts';

const run = promisify(execFile);

/** A program by its path, or the library that comes from npm. */
export type Choice = { readonly program: string } | { readonly library: true };

export interface Chosen {
  readonly choice: Choice;
  readonly description: string;
}

/** For `FFMPEG_PATH`: use none, whatever lies on the PATH. */
const NO_PROGRAM = 'off';

const NEEDED_ENCODERS = ['libx264', 'aac', 'mjpeg', 'libwebp_anim'];

export const openEngine = async (choice: Choice, folder: string): Promise<Engine> =>
  'program' in choice ? programEngine({ program: choice.program, folder }) : libraryEngine({ folder });

/** A program that the operator named must do; one that merely lies on the PATH is used if it can. */
export async function chooseEngine(ffmpegPath: string | undefined, folder: string): Promise<Chosen> {
  if (ffmpegPath !== undefined && ffmpegPath !== NO_PROGRAM) return tryProgram(ffmpegPath, folder);
  const found = ffmpegPath === NO_PROGRAM ? undefined : await findOnPath();
  if (found !== undefined) {
    const chosen = await tryProgram(found, folder).catch(() => undefined);
    if (chosen !== undefined) return chosen;
  }
  try {
    const choice: Choice = { library: true };
    return { choice, description: await (await openEngine(choice, folder)).describe() };
  } catch (cause) {
    throw new Error('there is no ffmpeg: set FFMPEG_PATH, install ffmpeg 5.1 or newer, or the npm package node-av', {
      cause,
    });
  }
}

async function tryProgram(program: string, folder: string): Promise<Chosen> {
  const choice: Choice = { program };
  const description = await (await openEngine(choice, folder)).describe();
  const { stdout } = await run(program, ['-hide_banner', '-encoders']);
  const missing = NEEDED_ENCODERS.filter((name) => !new RegExp(`^ \\S+ ${name} `, 'm').test(stdout));
  if (missing.length > 0) throw new Error(`${program} was built without ${missing.join(', ')}`);
  return { choice, description };
}

const findOnPath = async (): Promise<string | undefined> =>
  run('/bin/sh', ['-c', 'command -v ffmpeg']).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
