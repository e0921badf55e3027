/** Options as FFmpeg itself names them: both engines hand them on unread. */
export type Options = Readonly<Record<string, string>>;

/** One stream on its way through filters into a codec. */
export interface Track {
  /** Its place among the streams of its kind. */
  readonly index: number;
  /** What turns the picture upright, before the filter. The program does it by itself, and forgets the turn only then. */
  readonly turn?: string;
  readonly filter: string;
  readonly codec: string;
  readonly options: Options;
}

export interface CopiedTrack {
  readonly index: number;
  readonly copy: true;
}

/**
 * All that this product ever asks of FFmpeg: one input, at most one video and one audio stream, one output. It is kept this
 * small so that a program and a library can do the very same.
 */
export interface Job {
  readonly input: {
    readonly file: string;
    /** Named, never guessed: a guess is how a playlist gets to be read. */
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

export interface Done {
  /** How many pictures came out. A damaged file gives none, and that alone is no error to FFmpeg. */
  readonly pictures: number;
}

export interface Engine {
  /** Relative names, in filters as well, are in the folder that the engine was made for. */
  run(job: Job, options?: { onSeconds?: (seconds: number) => void }): Promise<Done>;
  describe(): Promise<string>;
}

/** The engine said no. It may be the file's fault or ours; a signal is never the file's. */
export class EngineFailure extends Error {
  readonly killed: boolean;

  constructor(message: string, options: { killed: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'EngineFailure';
    this.killed = options.killed;
  }
}

/** Beyond any 4K picture; a header that promises more is refused before its memory is asked for. */
export const MAX_PIXELS = 4096 * 2304;
/** More threads gain little on a picture of this size, and each costs memory. */
export const MAX_THREADS = 4;
