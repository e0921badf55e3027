import { open } from 'node:fs/promises';

const BASELINE = 66;
const MAIN = 77;
/** The description of the codec stands among the first boxes of a file whose tables come first. */
const HEAD_BYTES = 65_536;
/** avcC: version, profile, constraints, level, two lengths, the length of the first parameter set, its type, its profile. */
const PROFILE = 1;
const SET_PROFILE = 9;

/**
 * A Baseline stream that says it keeps to Main's rules as well is declared as Main: some players look at the number alone. Only
 * the declaration changes, and it was true before. Streams that keep to Baseline alone are not copied in the first place.
 */
export async function declareMain(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const at = head.indexOf('avcC') + 4;
    if (at < 4 || at + SET_PROFILE >= bytesRead) return;
    if (head[at + PROFILE] !== BASELINE || head[at + SET_PROFILE] !== BASELINE) return;
    for (const place of [at + PROFILE, at + SET_PROFILE]) await file.write(Buffer.from([MAIN]), 0, 1, place);
  } finally {
    await file.close();
  }
}
