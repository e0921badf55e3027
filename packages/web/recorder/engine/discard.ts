import { expireAfter, pause } from './clock.ts';
import { classifyResponse } from './response.ts';
import { discardUpload } from './tus.ts';

const TRIES = 3;
const RETRY_MS = 700;
const PATIENCE_MS = 4_000;

/** Makes the server delete an upload. One that is left over expires there. */
export async function discardOnServer(url: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const outcome = classifyResponse(await discardUpload(url, { signal: expireAfter(PATIENCE_MS) }), [204]);
    // 423: the server has not yet noticed that the last connection closed.
    if (outcome.kind !== 'retry' && outcome.kind !== 'ask_offset') return;
    await pause(RETRY_MS);
  }
}
