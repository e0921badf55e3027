import { type Choice, openEngine } from '../../src/recordings/media/engine/choose.ts';
import type { FfmpegJob } from '../../src/recordings/media/engine/engine.ts';

// The library blocks its thread and changes the working directory, so it runs in its own process.
const { choice, folder, job } = JSON.parse(process.argv[2] ?? '') as { choice: Choice; folder: string; job: FfmpegJob };
const engine = await openEngine(choice, folder);
await engine.run(job);
