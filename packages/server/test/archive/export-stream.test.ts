import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sinkOf } from '../../src/archive/export-stream.ts';

test('waiting for a slow reader leaves no listeners on the stream', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const count = () => ['drain', 'close', 'error'].map((name) => stream.listenerCount(name));
  const before = count();
  const chunks: Buffer[] = [];
  const sink = sinkOf(stream);
  for (let i = 0; i < 20; i++) {
    const written = sink(Buffer.from('chunk'));
    expect(stream.listenerCount('close')).toBe((before[1] ?? 0) + 1);
    chunks.push(stream.read());
    await written;
  }
  expect(Buffer.concat(chunks).toString()).toBe('chunk'.repeat(20));
  expect(count()).toEqual(before);
});

test('a cancelled download ends the wait, and nothing more is written', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const sink = sinkOf(stream);
  const written = sink(Buffer.from('chunk'));
  stream.destroy();
  await written;
  await expect(sink(Buffer.from('chunk'))).rejects.toThrow('the download was cancelled');
});
