import { type Choice, openEngine } from '../../src/recordings/media/engine/choose.ts';
import type { Job } from '../../src/recordings/media/engine/engine.ts';

// The library works on the thread it is called on and in the folder of its process: neither should be the tests' own.
const { choice, folder, job } = JSON.parse(process.argv[2] ?? '') as { choice: Choice; folder: string; job: Job };
const engine = await openEngine(choice, folder);
await engine.run(job);
