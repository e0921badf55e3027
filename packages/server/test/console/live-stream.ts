import { expect } from 'vitest';
import type { ConsoleClient } from './console-client.ts';

/** An open console with the events that it received. */
export async function openStream(client: ConsoleClient) {
  const response = await client.get('/console/api/live');
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('a stream came without a body');
  const received: { topic: string; text: string }[] = [];
  let isOpen = true;
  async function read(from: ReadableStreamDefaultReader<string>): Promise<void> {
    let rest = '';
    for (;;) {
      // An aborted stream counts as closed.
      const { done, value } = await from.read().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) break;
      const messages = (rest + value).split('\n\n');
      rest = messages.pop() ?? '';
      for (const text of messages) {
        if (!text.startsWith('data: ')) continue;
        const { topic } = JSON.parse(text.slice(6)) as { topic: string };
        received.push({ topic, text });
      }
    }
    isOpen = false;
  }
  void read(reader);
  return {
    response,
    received,
    count: (topic: string) => received.filter((one) => one.topic === topic).length,
    isOpen: () => isOpen,
    close: () => reader.cancel(),
  };
}
