import { type Camera, CameraProblem, openCamera } from './engine/camera.ts';
import { Meter } from './engine/meter.ts';
import { chooseType, Recording } from './engine/recording.ts';
import type { Spool } from './engine/spool.ts';
import type { Facing } from './engine/types.ts';

export interface Equipment {
  camera: Camera;
  meter: Meter;
}

/** Camera and meter, or the problem. A camera whose stream this browser cannot record is a problem too. */
async function openEquipment(facing: Facing): Promise<Equipment | { problem: CameraProblem['kind'] }> {
  try {
    const camera = await openCamera(facing);
    if (chooseType(camera.stream) === null) {
      camera.close();
      return { problem: 'unsupported' };
    }
    const meter = new Meter(camera.stream);
    meter.wake();
    return { camera, meter };
  } catch (problem) {
    return { problem: problem instanceof CameraProblem ? problem.kind : 'unsupported' };
  }
}

/** Null if this browser cannot record. Some browsers report it only now. */
export function beginRecording(
  { camera, meter }: Equipment,
  spool: Spool,
  options: { maxMs: number; onEnd(): void },
): Recording | null {
  const type = chooseType(camera.stream);
  try {
    return type === null ? null : new Recording(camera, meter, spool, { type, ...options });
  } catch {
    return null;
  }
}

/** If the member does nothing for this long, the camera is turned off. */
const PAUSED_FOR_MS = 180_000;

/** Holds the open camera. Phones allow one camera at a time, and it can be flipped only once at a time. */
export class CameraHolder {
  #facing: Facing = 'user';
  #equipment: Equipment | null = null;
  #opening: ReturnType<typeof openEquipment> | null = null;
  #flipping: Promise<void> | null = null;
  #isLost = false;
  #pauseTimer: number | undefined;

  /** Continues with the camera that is paused, so that the browser needs no new permission. */
  async open(): Promise<Equipment | { problem: CameraProblem['kind'] }> {
    const held = this.#equipment;
    if (held !== null && !this.#isLost) {
      this.#enable(held, true);
      held.meter.wake();
      return held;
    }
    this.release();
    // A second request joins the first: of two cameras, one would stay on.
    this.#opening ??= openEquipment(this.#facing).finally(() => {
      this.#opening = null;
    });
    const equipment = await this.#opening;
    if ('problem' in equipment || this.holds(equipment)) return equipment;
    this.#equipment = equipment;
    this.#isLost = false;
    equipment.camera.onLost(() => {
      if (this.holds(equipment)) this.#isLost = true;
    });
    return equipment;
  }

  /** Keeps the camera for the next take. Meanwhile it delivers neither picture nor sound. */
  pause(): void {
    if (this.#equipment === null) return;
    this.#enable(this.#equipment, false);
    this.#pauseTimer = window.setTimeout(() => this.release(), PAUSED_FOR_MS);
  }

  #enable({ camera }: Equipment, isOn: boolean): void {
    window.clearTimeout(this.#pauseTimer);
    for (const track of camera.stream.getTracks()) track.enabled = isOn;
  }

  holds(equipment: Equipment): boolean {
    return this.#equipment === equipment;
  }

  /** False if a flip is in progress, or if the camera was released in the meantime. */
  async flip(equipment: Equipment): Promise<boolean> {
    if (this.#flipping !== null || !this.holds(equipment)) return false;
    this.#flipping = equipment.camera.flip().catch(() => {});
    await this.#flipping;
    if (!this.holds(equipment)) return false;
    this.#flipping = null;
    this.#facing = equipment.camera.facing;
    return true;
  }

  /** Wait for this before recording: browsers end a recording whose tracks change. */
  async flipFinished(): Promise<void> {
    await this.#flipping;
  }

  release(): void {
    window.clearTimeout(this.#pauseTimer);
    this.#equipment?.meter.close();
    this.#equipment?.camera.close();
    this.#equipment = null;
    this.#flipping = null;
  }
}

let lock: WakeLockSentinel | null = null;
let wanted = false;

async function take(): Promise<void> {
  // Unsupported, or the battery is low: recording still works, but the screen may turn off.
  const sentinel = await navigator.wakeLock?.request('screen').catch(() => null);
  if (!wanted) await sentinel?.release();
  else lock = sentinel ?? null;
}

// The browser releases the lock whenever the page is hidden.
document.addEventListener('visibilitychange', () => {
  if (wanted && document.visibilityState === 'visible') void take();
});

export function keepAwake(awake: boolean): void {
  if (awake === wanted) return;
  wanted = awake;
  if (awake) void take();
  else void lock?.release();
}
