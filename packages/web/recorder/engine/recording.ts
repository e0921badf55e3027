import { newTakeId } from './chance.ts';
import { checkTake } from './check.ts';
import { elapsedMs, pause } from './clock.ts';
import type { Camera, Measurements, Meter, RecordingOptions, RecordingSession, Spool, Take } from './types.ts';

/** With sound about 2.1 Mbit/s: 15 s are 4 MB. */
const VIDEO_BITS_PER_S = 2_000_000;
const AUDIO_BITS_PER_S = 96_000;
/** How much is left to send when the member stops, and how much a crash can lose. */
const CHUNK_MS = 500;
/** MP4 leaves Chromium at key frames only, which by itself come every few seconds. */
const KEY_FRAME_EVERY_MS = 1_000;
/** Some phones forget to say that the recording has stopped. */
const STOP_PATIENCE_MS = 4_000;
/** H.264 level 3.1 holds a picture of 720x1280, level 4.0 one of 1080x1920. */
const PIXELS_OF_LEVEL_31 = 720 * 1_280;
/** TypeScript's own list does not have it yet. */
type RecorderOptions = MediaRecorderOptions & { videoKeyFrameIntervalDuration: number };

/** The browser gave no bytes. */
class RecordingFailed extends Error {}

/**
 * Null: this browser cannot record. MP4 first, because the server can keep its picture as it is; H.264 in WebM last,
 * because what Chromium writes there is Matroska, which few can play back.
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

/** Throws RecordingFailed when the browser refuses at once. */
export function startRecording(
  camera: Camera,
  meter: Meter,
  spool: Spool,
  options: RecordingOptions,
): RecordingSession {
  return new Session(camera, meter, spool, options);
}

class Session implements RecordingSession {
  readonly takeId = newTakeId();
  readonly type: string;
  readonly startedAtMs: number;
  readonly #spool: Spool;
  readonly #recorder: MediaRecorder;
  readonly #measuring: { finish(durationMs: number): Measurements };
  readonly #ended: Promise<void>;
  readonly #onEnd: RecordingOptions['onEnd'];
  readonly #limit: number;
  readonly #unfollow: () => void;
  #measured: Measurements | null = null;
  #taking: Promise<Take> | null = null;
  #aborted = false;

  constructor(camera: Camera, meter: Meter, spool: Spool, { type, maxMs, onEnd }: RecordingOptions) {
    this.#spool = spool;
    this.#onEnd = onEnd;
    this.#recorder = makeRecorder(camera.stream, type);
    this.type = this.#recorder.mimeType || type;
    this.#ended = new Promise((resolve) => {
      this.#recorder.addEventListener('stop', () => {
        this.#seal('lost');
        resolve();
      });
    });
    this.#recorder.addEventListener('dataavailable', ({ data }) => {
      if (!this.#aborted) spool.append(this.takeId, data);
    });
    // Never without a slice: some versions of iOS then give nothing until the end, and a crash takes it all.
    startOrFail(this.#recorder);
    spool.begin({ id: this.takeId, type: this.type });
    this.#measuring = meter.measure();
    this.startedAtMs = elapsedMs();
    this.#limit = window.setTimeout(() => this.#end('limit'), maxMs);
    // A camera that came back mute from the background does not end the recording by itself: it goes on with a still.
    this.#unfollow = camera.onLost(() => this.#end('lost'));
  }

  stop(): Promise<Take> {
    this.#taking ??= this.#take();
    return this.#taking;
  }

  async abort(): Promise<void> {
    this.#aborted = true;
    this.#seal(null);
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
    await this.#spool.forget(this.takeId);
  }

  async #take(): Promise<Take> {
    const measured = this.#seal(null);
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
    await Promise.race([this.#ended, pause(STOP_PATIENCE_MS)]);
    if (this.#aborted) throw new RecordingFailed('The recording was thrown away');
    if (!this.#spool.size(this.takeId)?.bytes) {
      await this.#spool.forget(this.takeId);
      throw new RecordingFailed('The browser recorded nothing');
    }
    return this.#spool.complete(this.takeId, { durationMs: measured.durationMs, findings: checkTake(measured) });
  }

  #end(because: 'limit' | 'lost'): void {
    this.#seal(because);
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
  }

  /** Takes the measures once, at the moment of the end; `because` when nobody asked for it. */
  #seal(because: 'limit' | 'lost' | null): Measurements {
    if (this.#measured) return this.#measured;
    window.clearTimeout(this.#limit);
    this.#unfollow();
    this.#measured = this.#measuring.finish(Math.round(elapsedMs() - this.startedAtMs));
    if (because) this.#onEnd?.(because);
    return this.#measured;
  }
}

function makeRecorder(stream: MediaStream, mimeType: string): MediaRecorder {
  const options: RecorderOptions = {
    mimeType,
    videoBitsPerSecond: VIDEO_BITS_PER_S,
    audioBitsPerSecond: AUDIO_BITS_PER_S,
    videoKeyFrameIntervalDuration: KEY_FRAME_EVERY_MS,
  };
  try {
    return new MediaRecorder(stream, options);
  } catch (fault) {
    throw new RecordingFailed('The browser cannot record this type', { cause: fault });
  }
}

function startOrFail(recorder: MediaRecorder): void {
  try {
    recorder.start(CHUNK_MS);
  } catch (fault) {
    throw new RecordingFailed('The browser did not start to record', { cause: fault });
  }
}
