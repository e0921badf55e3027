import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openRecordings } from './recording-fixture.ts';

const ENCODED_WITHIN_MS = 90_000;

const fixture = await forFile(openRecordings());

test(
  'a trimmed take is published without the parts that the member cut off',
  async () => {
    const intro = await fixture.pages.createIntro({ status: 'requested', video: null });
    const id = await fixture.receive(intro);
    await fixture.pages.database.query('update recordings set trim_start_ms = 500, trim_end_ms = 2000 where id = $1', [
      id,
    ]);
    await fixture.process();
    const row = await fixture.recording(id);
    expect(row).toMatchObject({ status: 'ready', trim_start_ms: 500, trim_end_ms: 2000 });
    expect(Math.abs(Number(row.duration_ms) - 1500)).toBeLessThan(100);
  },
  ENCODED_WITHIN_MS,
);
