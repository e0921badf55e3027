/** Runs FFmpeg as a program or as a library. */

/** FFmpeg option names; both engines pass them through. */
export type Options = Readonly<Record<string, string>>;

/** A stream that is filtered and encoded. */
export interface Track {
  /** Position among the streams of its kind. */
  readonly index: number;
  /** Filters that rotate the picture upright, applied first by the library. The program rotates it automatically. */
  readonly orient?: string;
  readonly filter: string;
  readonly codec: string;
  readonly options: Options;
}

export interface CopiedTrack {
  readonly index: number;
  readonly copy: true;
}

/** One input, at most one video and one audio stream, one output: small enough that both engines support the same. */
export interface FfmpegJob {
  readonly input: {
    readonly file: string;
    /** Always explicit: with format detection, FFmpeg might read a playlist and open other files. */
    readonly demuxer: string;
    readonly lengthS?: number;
    readonly keyFramesOnly?: boolean;
  };
  readonly video?: Track | CopiedTrack;
  readonly audio?: Track | CopiedTrack;
  readonly output: {
    readonly file: string;
    readonly muxer: string;
    readonly frames?: number;
    readonly options?: Options;
  };
}

export interface JobResult {
  /** Frames written. FFmpeg does not report it as an error when a damaged file yields none. */
  readonly pictures: number;
}

export interface Engine {
  /** Relative file names, including those in filters, refer to the engine's folder. */
  run(job: FfmpegJob, options?: { onSeconds?: (seconds: number) => void }): Promise<JobResult>;
  describe(): Promise<string>;
}

/** FFmpeg failed, because of the file or the system. When it was killed, the file is never at fault. */
export class EngineFailure extends Error {
  readonly killed: boolean;

  constructor(message: string, options: { killed: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'EngineFailure';
    this.killed = options.killed;
  }
}

/** Above any 4K picture; a header that claims more is refused before memory is allocated. */
export const MAX_PIXELS = 4096 * 2304;
/** More threads gain little at this size, and each costs memory. */
export const MAX_THREADS = 4;
