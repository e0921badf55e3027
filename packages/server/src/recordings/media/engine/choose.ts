import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Engine } from './engine.ts';
import { programEngine } from './ffmpeg.ts';
import { libraryEngine } from './node-av.ts';

const run = promisify(execFile);

/** The ffmpeg program at a path, or the npm library. */
export type Choice = { readonly program: string } | { readonly library: true };

export interface Chosen {
  readonly choice: Choice;
  readonly description: string;
}

/** Value of `FFMPEG_PATH` that ignores any ffmpeg on the PATH. */
const NO_PROGRAM = 'off';

const NEEDED_ENCODERS = ['libx264', 'aac', 'mjpeg', 'libwebp_anim'];

export const openEngine = async (choice: Choice, folder: string): Promise<Engine> =>
  'program' in choice ? programEngine({ program: choice.program, folder }) : libraryEngine({ folder });

/** A program set by the operator must work; one found on the PATH is used only if it works. */
export async function chooseEngine(ffmpegPath: string | undefined, folder: string): Promise<Chosen> {
  if (ffmpegPath !== undefined && ffmpegPath !== NO_PROGRAM) return tryProgram(ffmpegPath, folder);
  const found = await locateProgram(ffmpegPath);
  if (found !== undefined) {
    const chosen = await tryProgram(found, folder).catch(() => undefined);
    if (chosen !== undefined) return chosen;
  }
  try {
    const choice: Choice = { library: true };
    return { choice, description: await (await openEngine(choice, folder)).describe() };
  } catch (cause) {
    throw new Error('no ffmpeg found: set FFMPEG_PATH, or install ffmpeg 5.1 or newer or the npm package node-av', {
      cause,
    });
  }
}

/** Rejects when the program that the operator set does not work. */
export async function checkFfmpegPath(ffmpegPath: string, folder: string): Promise<void> {
  if (ffmpegPath !== NO_PROGRAM) await tryProgram(ffmpegPath, folder);
}

async function tryProgram(program: string, folder: string): Promise<Chosen> {
  const choice: Choice = { program };
  const description = await (await openEngine(choice, folder)).describe();
  const { stdout } = await run(program, ['-hide_banner', '-encoders']);
  const missing = NEEDED_ENCODERS.filter((name) => !new RegExp(`^ \\S+ ${name} `, 'm').test(stdout));
  if (missing.length > 0) throw new Error(`${program} lacks the encoders ${missing.join(', ')}`);
  return { choice, description };
}

/** The path of the program that is tried first; undefined when there is none. */
export const locateProgram = async (ffmpegPath: string | undefined): Promise<string | undefined> =>
  ffmpegPath === NO_PROGRAM
    ? undefined
    : run('/bin/sh', ['-c', 'command -v "$0"', ffmpegPath ?? 'ffmpeg']).then(
        ({ stdout }) => stdout.trim(),
        () => undefined,
      );
