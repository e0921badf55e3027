/** Takes: uploads, the order of encoding, and files. */

export {
  deletePicture,
  deleteTakeFiles,
  FILES_INTERVAL_MS,
  keyOf,
  originalPrefixOf,
  type Picture,
  prefixOf,
  RECORDING_FILES,
  type RecordingFile,
  storePicture,
  sweepFiles,
} from './files.ts';
export { BUILT_IN_CLIP, BUILT_IN_POSTER, checkFfmpegPath, createEncoder, type Encoder } from './media/index.ts';
export { recordingOperations } from './operations.ts';
export { type RecorderDeps, registerRecorder } from './routes.ts';
export { isClosed, isOpen, slotsFor } from './rules.ts';
export * from './scheduling.ts';
export * from './simulated.ts';
export { oldestWaitingTakeMs } from './store/processing.ts';
export {
  discardIntroUploads,
  discardTakesOf,
  findLatest as findLatestTake,
  listTakesWithFiles,
  notifyTakesWaiting,
  type RecordingRow,
} from './store/uploads.ts';
