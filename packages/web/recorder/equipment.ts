import {
  type Camera,
  CameraProblem,
  chooseType,
  type Facing,
  type Meter,
  openCamera,
  openMeter,
} from './engine/index.ts';

export interface Equipment {
  camera: Camera;
  meter: Meter;
}

/** Camera and meter, or why there are none: a camera of which this browser can record nothing is none either. */
export async function openEquipment(facing: Facing): Promise<Equipment | { problem: CameraProblem['kind'] }> {
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

export function putAway({ camera, meter }: Equipment): void {
  meter.close();
  camera.close();
}
