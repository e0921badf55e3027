import {
  type Camera,
  CameraProblem,
  chooseType,
  type Facing,
  type Meter,
  openCamera,
  openMeter,
  type RecordingSession,
  type Spool,
  startRecording,
} from './engine/index.ts';

export interface Equipment {
  camera: Camera;
  meter: Meter;
}

/** Camera and meter, or why there are none: a camera of which this browser can record nothing is none either. */
async function openEquipment(facing: Facing): Promise<Equipment | { problem: CameraProblem['kind'] }> {
  try {
    const camera = await openCamera(facing);
    if (chooseType(camera.stream) === null) {
      camera.close();
      return { problem: 'unsupported' };
    }
    const meter = openMeter(camera.stream);
    meter.wake();
    return { camera, meter };
  } catch (problem) {
    return { problem: problem instanceof CameraProblem ? problem.kind : 'unsupported' };
  }
}

/** Null: this browser cannot. Some tell only now, whatever they said before. */
export function beginRecording(
  { camera, meter }: Equipment,
  spool: Spool,
  options: { maxMs: number; onEnd(): void },
): RecordingSession | null {
  const type = chooseType(camera.stream);
  try {
    return type === null ? null : startRecording(camera, meter, spool, { type, ...options });
  } catch {
    return null;
  }
}

/** Holds what is open. One camera at a time, because phones lend no second one, and one turn of it at a time. */
export class CameraStand {
  #facing: Facing = 'user';
  #equipment: Equipment | null = null;
  #flipping: Promise<void> | null = null;

  async open(): Promise<Equipment | { problem: CameraProblem['kind'] }> {
    const equipment = await openEquipment(this.#facing);
    if (!('problem' in equipment)) this.#equipment = equipment;
    return equipment;
  }

  holds(equipment: Equipment): boolean {
    return this.#equipment === equipment;
  }

  /** False: it turns already, or was put away meanwhile. */
  async flip(equipment: Equipment): Promise<boolean> {
    if (this.#flipping !== null || !this.holds(equipment)) return false;
    this.#flipping = equipment.camera.flip().catch(() => {});
    await this.#flipping;
    if (!this.holds(equipment)) return false;
    this.#flipping = null;
    this.#facing = equipment.camera.facing;
    return true;
  }

  /** Nothing can be recorded before: browsers end a recording whose tracks change. */
  async turned(): Promise<void> {
    await this.#flipping;
  }

  putAway(): void {
    this.#equipment?.meter.close();
    this.#equipment?.camera.close();
    this.#equipment = null;
    this.#flipping = null;
  }
}
