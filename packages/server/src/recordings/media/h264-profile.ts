import { open } from 'node:fs/promises';

const BASELINE = 66;
const MAIN = 77;
/** With `moov` first, the codec configuration is near the start of the file. */
const HEAD_BYTES = 65_536;
/** Offsets of the two profile bytes in avcC: its own, and the one in the first parameter set. */
const PROFILE = 1;
const SET_PROFILE = 9;

/**
 * Declares a Constrained Baseline stream as Main, because some players check only the profile number. The declaration is
 * true: only Baseline streams that also satisfy Main are copied.
 */
export async function declareMainProfile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const at = head.indexOf('avcC') + 4;
    if (at < 4 || at + SET_PROFILE >= bytesRead) return;
    if (head[at + PROFILE] !== BASELINE || head[at + SET_PROFILE] !== BASELINE) return;
    for (const offset of [at + PROFILE, at + SET_PROFILE]) await file.write(Buffer.from([MAIN]), 0, 1, offset);
  } finally {
    await file.close();
  }
}
