import { elapsedMs, pause } from './clock.ts';
import { Signal } from './signal.ts';
import type { Facing } from './types.ts';

const SHORT_SIDE = 720;
const LONG_SIDE = 1_280;
const FRAMES_PER_S = 30;
/** iOS restores the camera a moment after the page becomes visible; one that is still muted after this stays muted. */
const WAKE_PATIENCE_MS = 1_500;
const WAKE_STEP_MS = 100;

/** `message` is for the browser's console; the page has its own texts for the member. */
export class CameraProblem extends Error {
  readonly kind: 'denied' | 'none' | 'busy' | 'unsupported' | 'insecure';
  constructor(kind: CameraProblem['kind'], cause?: unknown) {
    super(`The camera cannot be opened: ${kind}`, { cause });
    this.kind = kind;
  }
}

/** Rejects with CameraProblem. */
export async function openCamera(facing: Facing): Promise<Camera> {
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraProblem(isSecureContext ? 'unsupported' : 'insecure');
  const stream = await openStream(facing);
  const [picture] = stream.getVideoTracks();
  if (picture) await makePortrait(picture);
  const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
  return new Camera(stream, facing, devices.filter(({ kind }) => kind === 'videoinput').length > 1);
}

export class Camera {
  /** The same object for the camera's lifetime, even after a flip: set it once as `srcObject`. */
  readonly stream: MediaStream;
  readonly canFlip: boolean;
  /** False when no microphone was found: the take will be silent. */
  readonly hasSound: boolean;
  #facing: Facing;
  #closed = false;
  readonly #lost = new Signal<[]>();
  readonly #onEnded = (): void => this.#lose();
  readonly #onVisible = (): void => void this.#checkAfterReturn();

  constructor(stream: MediaStream, facing: Facing, canFlip: boolean) {
    this.stream = stream;
    this.#facing = facing;
    this.canFlip = canFlip;
    this.hasSound = stream.getAudioTracks().length > 0;
    for (const track of stream.getTracks()) track.addEventListener('ended', this.#onEnded);
    document.addEventListener('visibilitychange', this.#onVisible);
  }

  get facing(): Facing {
    return this.#facing;
  }

  /** Not while recording: browsers end a recording whose tracks change. Rejects with CameraProblem; keeps the old camera if possible. */
  async flip(): Promise<void> {
    const from = this.#facing;
    const [old] = this.stream.getVideoTracks();
    const used = old?.getSettings();
    const other = from === 'user' ? 'environment' : 'user';
    // Before requesting the other one: phones allow one camera at a time.
    if (old) this.#drop(old);
    try {
      this.#add(await openVideoTrack(used?.facingMode ? facingTo(other) : await nextDevice(used?.deviceId)));
      this.#facing = other;
    } catch (fault) {
      const again = await openVideoTrack(facingTo(from)).catch(() => null);
      if (again) this.#add(again);
      else this.#lose();
      throw problemOf(fault);
    }
  }

  close(): void {
    this.#closed = true;
    this.#lost.clear();
    document.removeEventListener('visibilitychange', this.#onVisible);
    for (const track of this.stream.getTracks()) {
      track.removeEventListener('ended', this.#onEnded);
      track.stop();
    }
  }

  /** A track ended, or stayed muted after the page was in the background: reopen the camera. Returns a function that stops listening. */
  onLost(listener: () => void): () => void {
    return this.#lost.add(listener);
  }

  #drop(track: MediaStreamTrack): void {
    track.removeEventListener('ended', this.#onEnded);
    track.stop();
    this.stream.removeTrack(track);
  }

  #add(track: MediaStreamTrack): void {
    if (this.#closed) {
      track.stop();
      return;
    }
    track.addEventListener('ended', this.#onEnded);
    this.stream.addTrack(track);
  }

  #lose(): void {
    if (this.#closed) return;
    this.#closed = true;
    document.removeEventListener('visibilitychange', this.#onVisible);
    this.#lost.emit();
  }

  async #checkAfterReturn(): Promise<void> {
    const untilMs = elapsedMs() + WAKE_PATIENCE_MS;
    while (document.visibilityState === 'visible' && !this.#closed) {
      const tracks = this.stream.getTracks();
      const ended = tracks.some(({ readyState }) => readyState === 'ended');
      // Only the video: a microphone can be muted by a hardware switch, and reopening does not change that.
      if (!ended && this.stream.getVideoTracks().every(({ muted }) => !muted)) return;
      if (ended || elapsedMs() >= untilMs) return this.#lose();
      await pause(WAKE_STEP_MS);
    }
  }
}

async function openStream(facing: Facing): Promise<MediaStream> {
  const video = { ...portrait(), ...facingTo(facing) };
  const audio = { echoCancellation: true, noiseSuppression: true, channelCount: { ideal: 1 } };
  try {
    return await navigator.mediaDevices.getUserMedia({ video, audio });
  } catch (fault) {
    // Without a microphone, a silent take is still useful.
    if (problemOf(fault).kind !== 'none') throw problemOf(fault);
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ video });
  } catch (fault) {
    throw problemOf(fault);
  }
}

async function openVideoTrack(which: MediaTrackConstraints): Promise<MediaStreamTrack> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { ...portrait(), ...which } });
  const [track] = stream.getVideoTracks();
  if (!track) throw new CameraProblem('none');
  await makePortrait(track);
  return track;
}

const facingTo = (facing: Facing): MediaTrackConstraints => ({ facingMode: { ideal: facing } });

/** Desktop cameras report no facing mode: the other camera is the next one in the list. */
async function nextDevice(deviceId: string | undefined): Promise<MediaTrackConstraints> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  const cameras = devices.filter(({ kind }) => kind === 'videoinput');
  const next = cameras[(cameras.findIndex((camera) => camera.deviceId === deviceId) + 1) % cameras.length];
  return next ? { deviceId: { exact: next.deviceId } } : {};
}

const isPortraitScreen = (): boolean => matchMedia('(orientation: portrait)').matches;

const size = (width: number, height: number): MediaTrackConstraints => ({
  width: { ideal: width },
  height: { ideal: height },
});

/**
 * Phones apply sizes to the sensor, which is in landscape, and rotate the picture afterwards: asking for a portrait size
 * there gives a landscape picture. Desktops apply sizes to the picture and crop it.
 */
function portrait(): MediaTrackConstraints {
  const phone = matchMedia('(pointer: coarse)').matches && isPortraitScreen();
  const dimensions = phone ? size(LONG_SIDE, SHORT_SIDE) : size(SHORT_SIDE, LONG_SIDE);
  return { ...dimensions, frameRate: { ideal: FRAMES_PER_S } };
}

/** In case the guess above was wrong: swaps width and height, and keeps the result if it is a portrait. */
async function makePortrait(track: MediaStreamTrack): Promise<void> {
  const isLandscape = (): boolean => {
    const { width = 0, height = 0 } = track.getSettings();
    // A square counts as landscape: some cameras crop to a square when they support neither size.
    return width >= height;
  };
  if (!isPortraitScreen() || !isLandscape()) return;
  const before = track.getConstraints();
  const requested = before.width;
  const askedForPortrait = typeof requested === 'object' && requested.ideal === SHORT_SIDE;
  const swapped = askedForPortrait ? size(LONG_SIDE, SHORT_SIDE) : size(SHORT_SIDE, LONG_SIDE);
  // A camera that cannot do it keeps its picture: landscape is better than nothing.
  await track.applyConstraints({ ...before, ...swapped }).catch(() => undefined);
  if (isLandscape()) await track.applyConstraints(before).catch(() => undefined);
}

function problemOf(fault: unknown): CameraProblem {
  if (fault instanceof CameraProblem) return fault;
  const name = fault instanceof Error ? fault.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return new CameraProblem('denied', fault);
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return new CameraProblem('none', fault);
  if (name === 'NotReadableError' || name === 'AbortError') return new CameraProblem('busy', fault);
  return new CameraProblem('unsupported', fault);
}
