import type { Camera } from './camera.ts';
import { elapsedMs, pause } from './clock.ts';
import type { Meter } from './meter.ts';
import type { Spool } from './spool.ts';
import { checkTake } from './take-check.ts';
import type { MeasuredTake, Take } from './types.ts';

/** With sound about 2.1 Mbit/s: 15 s are 4 MB. */
const VIDEO_BITS_PER_S = 2_000_000;
const AUDIO_BITS_PER_S = 96_000;
/** Determines how much is unsent when the member stops, and how much a crash can lose. */
const CHUNK_MS = 500;
/** Chromium writes MP4 data only at key frames, which by default are seconds apart. */
const KEY_FRAME_EVERY_MS = 1_000;
/** Some phones never report that the recording has stopped. */
const STOP_PATIENCE_MS = 4_000;
/** H.264 level 3.1 allows 720x1280, level 4.0 allows 1080x1920. */
const PIXELS_OF_LEVEL_31 = 720 * 1_280;
/** Missing from TypeScript's own types. */
type RecorderOptions = MediaRecorderOptions & { videoKeyFrameIntervalDuration: number };

/**
 * Null if this browser cannot record. MP4 first, because the server can copy its video unchanged; H.264 in WebM last,
 * because Chromium writes Matroska there, which few browsers play.
 */
export function chooseType(stream?: MediaStream): string | null {
  if (typeof MediaRecorder === 'undefined') return null;
  const { width = 0, height = 0 } = stream?.getVideoTracks()[0]?.getSettings() ?? {};
  const avc = width * height > PIXELS_OF_LEVEL_31 ? 'avc1.420028' : 'avc1.42001f';
  const types = [
    `video/mp4;codecs=${avc},mp4a.40.2`,
    'video/mp4;codecs=avc1,mp4a',
    `video/mp4;codecs=${avc},opus`,
    'video/webm;codecs=vp8,opus',
    'video/webm;codecs=vp9,opus',
    'video/webm',
    'video/mp4',
    'video/webm;codecs=h264,opus',
  ];
  return types.find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

interface RecordingOptions {
  /** From `chooseType()`. */
  type: string;
  /** The recording ends after this, even without `stop()`. */
  maxMs: number;
  /** Called if it ended on its own: at the limit, or because the camera was lost. `stop()` returns the take so far. */
  onEnd?: (reason: 'limit' | 'lost') => void;
}

/** Starts at once; throws what the browser throws if it cannot record. */
export class Recording {
  /** The upload may start at once. */
  readonly takeId: string;
  /** On the clock of `performance.now()`. */
  readonly startedAtMs: number;
  readonly #spool: Spool;
  readonly #recorder: MediaRecorder;
  readonly #measuring: { finish(durationMs: number): MeasuredTake };
  readonly #ended: Promise<void>;
  readonly #onEnd: RecordingOptions['onEnd'];
  readonly #limit: number;
  readonly #unfollow: () => void;
  #measured: MeasuredTake | null = null;
  #isLost = false;
  #taking: Promise<Take> | null = null;
  #aborted = false;

  constructor(camera: Camera, meter: Meter, spool: Spool, { type, maxMs, onEnd }: RecordingOptions) {
    this.#spool = spool;
    this.#onEnd = onEnd;
    const recorderOptions: RecorderOptions = {
      mimeType: type,
      videoBitsPerSecond: VIDEO_BITS_PER_S,
      audioBitsPerSecond: AUDIO_BITS_PER_S,
      videoKeyFrameIntervalDuration: KEY_FRAME_EVERY_MS,
    };
    this.#recorder = new MediaRecorder(camera.stream, recorderOptions);
    this.#ended = new Promise((resolve) => {
      this.#recorder.addEventListener('stop', () => {
        this.#finishMeasuring('lost');
        resolve();
      });
    });
    this.#recorder.addEventListener('dataavailable', ({ data }) => {
      if (!this.#aborted) spool.append(this.takeId, data);
    });
    // Always with a time slice: without it some iOS versions deliver nothing until the end, and a crash loses everything.
    this.#recorder.start(CHUNK_MS);
    this.takeId = spool.begin({ type: this.#recorder.mimeType || type });
    this.#measuring = meter.measure();
    this.startedAtMs = elapsedMs();
    this.#limit = window.setTimeout(() => this.#end('limit'), maxMs);
    // A camera that comes back muted from the background would keep recording a still picture.
    this.#unfollow = camera.onLost(() => this.#end('lost'));
  }

  /** May be called more than once. Rejects if the browser produced no data. */
  stop(): Promise<Take> {
    this.#taking ??= this.#take();
    return this.#taking;
  }

  /** Discards the take. The one before it, if any, is kept. */
  async abort(): Promise<void> {
    this.#aborted = true;
    this.#finishMeasuring(null);
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
    await this.#spool.forget(this.takeId);
  }

  async #take(): Promise<Take> {
    const measured = this.#finishMeasuring(null);
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
    await Promise.race([this.#ended, pause(STOP_PATIENCE_MS)]);
    if (this.#aborted) throw new Error('The recording was discarded');
    if (!this.#spool.size(this.takeId)?.bytes) {
      await this.#spool.forget(this.takeId);
      throw new Error('The browser recorded nothing');
    }
    const { durationMs, levels } = measured;
    const details = { durationMs, findings: checkTake(measured), levels, interrupted: this.#isLost };
    return this.#spool.complete(this.takeId, details);
  }

  #end(because: 'limit' | 'lost'): void {
    this.#finishMeasuring(because);
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
  }

  /** Finishes the measurements once, when the recording ends. `because` is set if it ended on its own. */
  #finishMeasuring(because: 'limit' | 'lost' | null): MeasuredTake {
    if (this.#measured) return this.#measured;
    window.clearTimeout(this.#limit);
    this.#unfollow();
    this.#measured = this.#measuring.finish(Math.round(elapsedMs() - this.startedAtMs));
    this.#isLost = because === 'lost';
    if (because) this.#onEnd?.(because);
    return this.#measured;
  }
}
