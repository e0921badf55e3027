import { createLogger } from '../../src/platform/log.ts';
import { openWorkFolders } from '../../src/platform/work-folders.ts';
import { createEncoder } from '../../src/recordings/media/index.ts';

// Plays the service that a test kills.
const { file, into, ffmpegPath } = JSON.parse(process.argv[2] ?? '') as Record<'file' | 'into' | 'ffmpegPath', string>;
const encoder = createEncoder({
  ffmpegPath,
  log: createLogger('silent'),
  workFolders: openWorkFolders({ workDir: into, dataDir: into }),
  isolate: true,
  limits: { niceness: 0 },
});
await encoder.process({ file, into, script: null, signal: new AbortController().signal, onProgress: () => undefined });
