import { readFileSync } from 'node:fs';
import type { Demuxer, Muxer } from 'node-av/api';
import type { FFEncoderCodec } from 'node-av/constants';
import type { CodecContext, Frame, Packet, Stream } from 'node-av/lib';
import {
  type CopiedTrack,
  type Engine,
  EngineFailure,
  type FfmpegJob,
  type JobResult,
  MAX_PIXELS,
  type Options,
  type Track,
} from './engine.ts';
import { threads } from './ffmpeg.ts';

/**
 * FFmpeg as a library, for machines without the program. It blocks its thread, so it runs in its own process; asynchronous
 * calls would only pass each frame between threads that wait for each other.
 */
export async function libraryEngine(options: { folder: string }): Promise<Engine> {
  const api = await import('node-av');
  api.Log.setLevel(api.AV_LOG_FATAL);
  // File names in filters are relative to the working directory.
  process.chdir(options.folder);
  return {
    run: async (job, { onSeconds } = {}) => {
      try {
        return runJob(api, job, onSeconds ?? (() => undefined));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new EngineFailure(`node-av: ${why}`, { killed: false, cause: error });
      }
    },
    describe: async () => `node-av ${ownVersion()} (FFmpeg ${api.getFFmpegInfo().version.replace(/-.*/, '')})`,
  };
}

function ownVersion(): string {
  const found: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('node-av')), 'utf8'));
  return String((found as { version: unknown }).version);
}

/**
 * The library makes relative output names absolute and creates their folder. An isolated process may be unable to reach its
 * own folder from the root.
 */
const OUTPUT_FOLDER = process.platform === 'linux' ? '/proc/self/cwd/' : '';

type Api = typeof import('node-av');

interface Opened {
  readonly demuxer: Demuxer;
  readonly muxer: Muxer;
}

/** Carries one stream from input packets to output packets. */
interface Route {
  readonly stream: Stream;
  /** Frames encoded, or packets copied. */
  count(): number;
  take(packet: Packet): void;
  finish(): void;
  close(): void;
}

function runJob(api: Api, job: FfmpegJob, onSeconds: (seconds: number) => void): JobResult {
  const { input, output } = job;
  const demuxer = api.Demuxer.openSync(input.file, {
    format: input.demuxer,
    options: input.demuxer === 'lavfi' ? {} : { protocol_whitelist: 'file' },
  });
  const muxer = api.Muxer.openSync(OUTPUT_FOLDER + output.file, {
    format: output.muxer,
    options: { fflags: '+bitexact', ...output.options },
  });
  const routes: Route[] = [];
  try {
    for (const [kind, wanted] of [['video', job.video] as const, ['audio', job.audio] as const]) {
      if (wanted !== undefined) routes.push(openRoute(api, { demuxer, muxer }, kind, wanted, job));
    }
    pump(demuxer, routes, job, onSeconds);
    for (const route of routes) route.finish();
    muxer.closeSync();
    // The video route is opened first.
    return { pictures: job.video === undefined ? 0 : (routes[0]?.count() ?? 0) };
  } finally {
    for (const route of routes) route.close();
    muxer.closeSync();
    demuxer.closeSync();
  }
}

function pump(demuxer: Demuxer, routes: readonly Route[], job: FfmpegJob, onSeconds: (seconds: number) => void): void {
  const open = new Set(routes);
  for (const packet of demuxer.packetsSync()) {
    if (packet === null) break;
    const route = routes.find(({ stream }) => stream.index === packet.streamIndex);
    try {
      if (route === undefined || !open.has(route)) continue;
      const { num, den } = packet.timeBase;
      const seconds = (Number(packet.pts > 0n ? packet.pts : 0n) * num) / den;
      if (seconds >= (job.input.lengthS ?? Number.POSITIVE_INFINITY)) {
        open.delete(route);
        if (open.size === 0) break;
        continue;
      }
      route.take(packet);
      onSeconds(seconds);
    } catch (error) {
      if (error instanceof Enough) break;
      throw error;
    } finally {
      packet.free();
    }
  }
}

/** Thrown to stop reading once the output has the requested number of frames. */
class Enough extends Error {}

function openRoute(
  api: Api,
  opened: Opened,
  kind: 'video' | 'audio',
  wanted: Track | CopiedTrack,
  job: FfmpegJob,
): Route {
  const { demuxer, muxer } = opened;
  const stream = demuxer[kind](wanted.index);
  if (stream === undefined) throw new Error(`no ${kind} stream ${wanted.index}`);
  return 'copy' in wanted ? copyRoute(muxer, stream) : encodingRoute(api, muxer, stream, wanted, job);
}

function copyRoute(muxer: Muxer, stream: Stream): Route {
  // Otherwise the camera name and location would be copied too.
  stream.metadata = null;
  const at = muxer.addStream(stream);
  let copied = 0;
  return {
    stream,
    count: () => copied,
    take: (packet) => {
      muxer.writePacketSync(packet, at);
      copied += 1;
    },
    finish: () => {},
    close: () => {},
  };
}

function encodingRoute(api: Api, muxer: Muxer, stream: Stream, wanted: Track, job: FfmpegJob): Route {
  const decoder = api.Decoder.createSync(stream, {
    threadCount: threads(),
    exitOnError: false,
    configure: setting(api, {
      max_pixels: String(MAX_PIXELS),
      ...(job.input.keyFramesOnly ? { skip_frame: 'nokey' } : {}),
    }),
  });
  const filter = api.FilterAPI.create((wanted.orient ?? '') + wanted.filter);
  const codec = api.Codec.findEncoderByName(wanted.codec as FFEncoderCodec);
  if (codec === null) throw new Error(`no encoder ${wanted.codec}`);
  const encoder = api.Encoder.createSync(codec, {
    filter,
    threadCount: threads(),
    configure: setting(api, wanted.options),
  });
  const at = muxer.addStream(encoder);
  const limit = job.output.frames ?? Number.POSITIVE_INFINITY;
  let encoded = 0;

  const write = (packets: Iterable<Packet>): void => each(packets, (packet) => muxer.writePacketSync(packet, at));
  const encode = (frames: Iterable<Frame>): void =>
    each(frames, (frame) => {
      if (encoded === limit) return;
      encoded += 1;
      write(encoder.encodeAllSync(frame));
    });
  const filterFrames = (frames: Iterable<Frame>): void => each(frames, (frame) => encode(filter.processAllSync(frame)));
  return {
    stream,
    count: () => encoded,
    take: (packet) => {
      filterFrames(decoder.decodeAllSync(packet));
      if (encoded === limit) throw new Enough();
    },
    finish: () => {
      if (encoded < limit) filterFrames(decoder.flushFramesSync());
      encode(filter.flushFramesSync());
      write(encoder.flushPacketsSync());
    },
    close: () => {
      for (const part of [decoder, filter, encoder]) part.close();
    },
  };
}

/**
 * Replaces the library's own `options`, which node-av 6.1.1 frees twice when opened synchronously (a crash at the next
 * garbage collection). This way an unknown option name is an error too.
 */
function setting(api: Api, options: Options): (context: CodecContext) => void {
  return (context) => {
    for (const [name, value] of Object.entries(options)) {
      const result = context.setOption(name, value, api.AV_OPT_TYPE_STRING, api.AV_OPT_SEARCH_CHILDREN);
      if (result < 0) throw new Error(`the codec rejects ${name}=${value}`);
    }
  };
}

/** Frees each frame at once: it holds several megabytes that the garbage collector does not see. */
function each<Item extends { free(): void }>(items: Iterable<Item>, work: (item: Item) => void): void {
  for (const item of items) {
    try {
      work(item);
    } finally {
      item.free();
    }
  }
}
