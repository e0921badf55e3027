import { writeSync } from 'node:fs';
import { chooseEngine, openEngine } from './engine/choose.ts';
import type { Errand, Outcome, Report } from './errand.ts';
import { TakeRefused } from './refusals.ts';

// One errand in a process of its own: what a hostile file breaks, it breaks here. What only some errands need is loaded by
// them: reading it takes longer than choosing an engine or drawing a picture does.

/** At once and whole: the process may be ended right after. */
const report = (what: Report): void => void writeSync(1, `${JSON.stringify(what)}\n`);

async function run(errand: Errand): Promise<Outcome> {
  if (errand.kind === 'choose') {
    return { kind: 'chosen', chosen: await chooseEngine(errand.ffmpegPath ?? undefined, errand.into) };
  }
  const { file, into } = errand;
  const engine = await openEngine(errand.choice, into);
  if (errand.kind === 'preview') {
    const { makePreview } = await import('./pictures.ts');
    await makePreview(engine, into, file);
    return { kind: 'preview' };
  }
  if (errand.kind === 'picture') {
    const { redraw } = await import('./pictures.ts');
    await redraw(engine, into, errand);
    return { kind: 'picture' };
  }
  const { workOnTake } = await import('./take.ts');
  let told = 0;
  const onProgress = (percent: number): void => {
    if (percent <= told) return;
    told = percent;
    report({ kind: 'progress', percent });
  };
  return { kind: 'take', worked: await workOnTake({ engine, file, into, onProgress }) };
}

try {
  report(await run(JSON.parse(process.argv[2] ?? '') as Errand));
} catch (error) {
  if (error instanceof TakeRefused) report({ kind: 'refused', code: error.code });
  else report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
