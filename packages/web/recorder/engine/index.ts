/**
 * The recorder without its screens: camera, meter, recording, the spool that survives a closed tab, upload, state.
 *
 *   const spool = await openSpool(api);                    // api: '/r/<token>'
 *   const kept = await spool.latest();                      // unsent, from an earlier visit: offer to send it
 *   const camera = await openCamera('user');                // rejects with CameraProblem
 *   const meter = openMeter(camera.stream);
 *   const type = chooseType(camera.stream);                 // null: offer pickedFile
 *   const recording = startRecording(camera, meter, spool, { type, maxMs: 30_000 });
 *   const upload = beginUpload(api, spool, recording.takeId); // uploads while recording
 *   const take = await recording.stop();                    // play take.url, show take.findings
 *   await upload.finish();                                  // Send
 *   await spool.forget(take.id);                            // once the state shows the recording
 */

export { CameraProblem, openCamera } from './camera.ts';
export { FileProblem, pickedFile } from './file.ts';
export { openMeter } from './meter.ts';
export { fetchNext } from './next.ts';
export { chooseType, startRecording } from './recording.ts';
export { UploadFailed } from './response.ts';
export { openSpool } from './spool.ts';
export { requestRetry, watchState } from './state.ts';
export type {
  Camera,
  Facing,
  Meter,
  Recording,
  Spool,
  StateAnswer,
  Take,
  Trim,
  Upload,
  UploadProgress,
} from './types.ts';
export { fetchColleagues, type Refusal, sendDecline, sendHandOver } from './unable.ts';
export { beginUpload } from './upload.ts';
