import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createIntro, eventually } from './support/actions.ts';
import { openPhone, sendHalf } from './support/recorder.ts';
import { openService } from './support/service.ts';

const bytes = (size: number, fill: number) => new Uint8Array(size).fill(fill);

test('an upload that stalls is cut off after the request timeout, and the received bytes are kept', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'foreword-uploads-'));
  onTestFinished(() => fs.rm(folder, { recursive: true, force: true }));
  // Without the media role: the take is not a video.
  const fixture = await openService({ FOREWORD_ROLE: 'api,worker', OBJECTS_URL: `file://${folder}` });
  onTestFinished(() => fixture.close());
  const phone = await openPhone(fixture, (await createIntro(fixture.api)).id);
  const at = await phone.begin({ length: 400_000 });

  const startedAt = performance.now();
  const socket = await sendHalf(fixture, at, 400_000, bytes(150_000, 3));
  await once(socket.resume(), 'close');
  const waitedMs = performance.now() - startedAt;
  expect(waitedMs).toBeGreaterThan(14_000);
  expect(waitedMs).toBeLessThan(20_000);

  const kept = await eventually(
    () => phone.offset(at),
    (offset) => offset > 0,
  );
  expect(kept).toBe(150_000);
  expect((await phone.patch(at, kept, bytes(250_000, 4))).status).toBe(204);
  expect((await phone.state()).recording.status).toBe('checking');
  const id = at.split('/').at(-1) ?? '';
  const [row] = await fixture.database.query('select organization_id, parts from recordings where id = $1', [id]);
  const read = (part: string) => fs.readFile(path.join(folder, row?.organization_id, id, 'original', part));
  const parts: Buffer[] = await Promise.all(row?.parts.map(read) ?? []);
  expect(Buffer.concat(parts)).toEqual(Buffer.concat([bytes(150_000, 3), bytes(250_000, 4)]));
}, 60_000);
