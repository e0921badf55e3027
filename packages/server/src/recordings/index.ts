export { PROCESS_RECORDING, type ProcessRecordingJob } from './jobs.ts';
export { createEncoder, type Encoder } from './media/index.ts';
export { keepPicture, PICTURE_MAX_BYTES, type Picture, type PictureShape } from './pictures.ts';
export { createRecordingProcessor } from './processing.ts';
export { type OtherPages, registerRecorder } from './routes.ts';
export { isClosed, isOpen } from './rules.ts';
export { builtInClip, createSimulatedMember, receiveByCommand, type SimulatedMember } from './simulated.ts';
export { FILES_INTERVAL_MS, requeueStranded, STRANDED_INTERVAL_MS, sweepFiles } from './sweeping.ts';
export { createUploadServers } from './uploads.ts';
