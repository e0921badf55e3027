import net from 'node:net';
import { expect, test } from 'vitest';
import { openPages } from './page-fixture.ts';

const LIMIT_MS = 5_000;

test('a client that reads nothing does not delay shutdown', async () => {
  const other = await openPages();
  const big = await other.createIntro({ files: { 'video.mp4': Buffer.alloc(60_000_000) } });
  const socket = net.connect(Number(new URL(other.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${big.videoPath} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  const startedMs = performance.now();
  await other.close();
  expect(performance.now() - startedMs).toBeLessThan(LIMIT_MS);
  socket.destroy();
});
