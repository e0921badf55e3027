/** Takes: uploads, the order of encoding, and files. */

export { deleteTakeFiles, keyOf, originalPrefixOf, prefixOf, RECORDING_FILES, type RecordingFile } from './keys.ts';
export { BUILT_IN_CLIP, BUILT_IN_POSTER, checkFfmpegPath, createEncoder, type Encoder } from './media/index.ts';
export { recordingOperations } from './operations.ts';
export { deletePicture, type Picture, storePicture } from './pictures.ts';
export { explainNotRetried, POLL_INTERVAL_MS, PROCESS_RECORDING, workOnRecordings } from './retrying.ts';
export { type RecorderDeps, registerRecorder } from './routes.ts';
export { isClosed, isOpen, LIMITS as TAKE_LIMITS, slotsFor } from './rules.ts';
export { createRecordingProcessor } from './scheduling.ts';
export { builtInClip, receiveByCommand, SimulatedTake } from './simulated.ts';
export { discardTakesOf, listTakesWithFiles } from './store/files.ts';
export { oldestWaitingTakeMs } from './store/queue.ts';
export { findLatest as findLatestTake, type RecordingRow } from './store/recordings.ts';
export { discardIntroUploads } from './store/uploads.ts';
export { FILES_INTERVAL_MS, sweepFiles } from './sweeping.ts';
export { createUploadServers } from './uploads.ts';
