import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import {
  type CopiedTrack,
  type Engine,
  EngineFailure,
  type FfmpegJob,
  MAX_PIXELS,
  MAX_THREADS,
  type Options,
  type Track,
} from './engine.ts';

/** Address space: twice what 4K to 1080p needs (0.9 GB), far below what a decompression bomb allocates. */
const MEMORY_KB = 2_000_000;
const LIMITED = `ulimit -v ${MEMORY_KB} 2>/dev/null; exec "$@"`;
const STDERR_KEPT = 2_000;
const OLDEST = { major: 5, minor: 1 };

/** Runs the ffmpeg program, one process per job. */
export function programEngine(options: { program: string; folder: string }): Engine {
  const { program, folder } = options;
  return {
    run: async (job, { onSeconds } = {}) => {
      let pictures = 0;
      const lines = await call(program, commandLine(job), folder, (line) => {
        const time = /^out_time_us=(\d+)$/.exec(line);
        if (time) onSeconds?.(Number(time[1]) / 1_000_000);
        const count = /^frame=\s*(\d+)$/.exec(line);
        if (count) pictures = Number(count[1]);
      });
      if (lines.code !== 0) throw lines.failure();
      return { pictures };
    },
    describe: async () => {
      let first = '';
      const { code } = await call(program, ['-version'], folder, (line) => {
        first ||= line;
      });
      const [, version, major, minor] = /^ffmpeg version ((?:n|N-)?(\d+)(?:\.(\d+))?\S*)/.exec(first) ?? [];
      if (code !== 0 || version === undefined) throw new Error(`${program} does not report an ffmpeg version`);
      // Builds from the source tree carry a revision number far above any release number.
      const tooOld =
        Number(major) < OLDEST.major || (Number(major) === OLDEST.major && Number(minor ?? 0) < OLDEST.minor);
      if (tooOld)
        throw new Error(`${program} is ffmpeg ${version}; ${OLDEST.major}.${OLDEST.minor} or newer is required`);
      return `ffmpeg ${version.replace(/-.*/, '')} at ${program}`;
    },
  };
}

function commandLine(job: FfmpegJob): string[] {
  const { input, video, audio, output } = job;
  const decoding = ['-max_pixels', String(MAX_PIXELS), '-threads', String(threads())];
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostdin', '-nostats', '-progress', 'pipe:1'],
    ...(input.demuxer === 'lavfi' ? [] : ['-protocol_whitelist', 'file', ...decoding]),
    ...(input.keyFramesOnly ? ['-skip_frame', 'nokey'] : []),
    ...(input.lengthS === undefined ? [] : ['-t', String(input.lengthS)]),
    ...['-f', input.demuxer, '-i', input.file],
    ...track('v', video),
    ...track('a', audio),
    ...['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact'],
    ...(video === undefined || 'copy' in video ? [] : ['-fps_mode', 'passthrough', '-threads:v', String(threads())]),
    ...(output.frames === undefined ? [] : ['-frames:v', String(output.frames)]),
    ...flags(output.options ?? {}),
    ...['-f', output.muxer, '-y', output.file],
  ];
}

function track(kind: 'v' | 'a', wanted: Track | CopiedTrack | undefined): string[] {
  if (wanted === undefined) return [`-${kind}n`];
  const map = ['-map', `0:${kind}:${wanted.index}`];
  if ('copy' in wanted) return [...map, `-c:${kind}`, 'copy'];
  return [
    ...map,
    ...[`-filter:${kind}`, wanted.filter, `-c:${kind}`, wanted.codec, `-flags:${kind}`, '+bitexact'],
    ...flags(wanted.options, `:${kind}`),
  ];
}

const flags = (options: Options, stream = ''): string[] =>
  Object.entries(options).flatMap(([name, value]) => [`-${name}${stream}`, value]);

export const threads = (): number => Math.min(MAX_THREADS, availableParallelism());

interface Called {
  readonly code: number | null;
  failure(): EngineFailure;
}

function call(program: string, args: string[], cwd: string, onLine: (line: string) => void): Promise<Called> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', LIMITED, 'foreword-ffmpeg', program, ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    createInterface({ input: child.stdout }).on('line', onLine);
    child.once('error', (error) =>
      reject(new EngineFailure(`ffmpeg did not start: ${error.message}`, { killed: true })),
    );
    child.once('close', (code, signal) => {
      const how = signal ?? `code ${code}`;
      resolve({
        code,
        failure: () => new EngineFailure(`ffmpeg exited with ${how}: ${stderr.trim()}`, { killed: signal !== null }),
      });
    });
  });
}
