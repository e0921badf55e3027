import { writeFileSync, writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { chooseEngine, openEngine } from './engine/choose.ts';
import type { MediaJob, Outcome, Report } from './job-runner.ts';
import { HEAVY_NICENESS, TakeRefused } from './limits.ts';
import type { Inspected } from './take.ts';

// Runs one media job in its own process, so that a hostile file can crash only this one. Imports that only some jobs need
// are dynamic, because loading them takes longer than the short jobs do.

/** Synchronous, because the process may be killed right after. */
const report = (line: Report): void => void writeSync(1, `${JSON.stringify(line)}\n`);

/** Heavy takes also yield to ordinary ones. A process at normal priority stays there: nothing else is supposed to wait for it. */
function yieldToLightTakes(): void {
  if (getPriority() <= 0) return;
  setPriority(HEAVY_NICENESS);
  try {
    // Linux compares processes of different sessions by this value only.
    writeFileSync('/proc/self/autogroup', String(HEAVY_NICENESS));
  } catch {
    // Not Linux, or a kernel without it.
  }
}

async function run(job: MediaJob): Promise<Outcome> {
  if (job.kind === 'start') return { kind: 'start' };
  if (job.kind === 'choose') {
    return { kind: 'chosen', chosen: await chooseEngine(job.ffmpegPath ?? undefined, job.into) };
  }
  const { file, into } = job;
  const engine = await openEngine(job.choice, into);
  if (job.kind === 'preview') {
    const { makePreview } = await import('./pictures.ts');
    await makePreview(engine, into, file);
    return { kind: 'preview' };
  }
  if (job.kind === 'picture') {
    const { redraw } = await import('./pictures.ts');
    await redraw(engine, into, job);
    return { kind: 'picture' };
  }
  const { transcodeTake } = await import('./take.ts');
  let reported = 0;
  const onProgress = (percent: number): void => {
    if (percent <= reported) return;
    reported = percent;
    report({ kind: 'progress', percent });
  };
  const onInspected = (inspected: Inspected): void => {
    report({ kind: 'inspected', ...inspected });
    if (inspected.isHeavy) yieldToLightTakes();
  };
  return { kind: 'take', result: await transcodeTake({ engine, file, into, trim: job.trim, onInspected, onProgress }) };
}

try {
  report(await run(JSON.parse(process.argv[2] ?? '') as MediaJob));
} catch (error) {
  if (error instanceof TakeRefused) report({ kind: 'refused', code: error.code });
  else report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
