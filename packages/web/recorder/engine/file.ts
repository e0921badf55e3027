import type { Spool } from './spool.ts';
import { CHECK } from './take-check.ts';
import type { FileProblemKind, Take } from './types.ts';

/** The server's limit, checked here before a long upload. */
const LONGEST_MS = 60_000;
const PIECE_BYTES = 1_048_576;
const METADATA_PATIENCE_MS = 4_000;

/** `message` is for the browser's console; the page has its own texts for the member. */
export class FileProblem extends Error {
  readonly kind: FileProblemKind;
  constructor(kind: FileProblemKind, cause?: unknown) {
    super(`The file cannot be used: ${kind}`, { cause });
    this.kind = kind;
  }
}

/** For a member without a camera. Rejects with FileProblem. `limits` come from the server's state. */
export async function pickedFile(file: File, spool: Spool, limits: { max_bytes: number }): Promise<Take> {
  if (file.size > limits.max_bytes) throw new FileProblem('too_large');
  const type = typeOf(await readStart(file));
  // iPhones' pictures and sounds begin like their videos.
  if (type === null || /^(image|audio)\//.test(file.type)) throw new FileProblem('not_a_video');
  const durationMs = await durationOf(file);
  if (durationMs > LONGEST_MS) throw new FileProblem('too_long');
  const id = spool.begin({ type, wholeOnly: true });
  for (let start = 0; start < file.size; start += PIECE_BYTES) {
    spool.append(id, file.slice(start, start + PIECE_BYTES));
  }
  const tooShort = durationMs > 0 && durationMs < CHECK.tooShortMs;
  return spool.complete(id, { durationMs, findings: tooShort ? ['too_short'] : [], levels: [] });
}

/** Detects a cloud file or a moved file here instead of in the middle of the upload. */
async function readStart(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(0, 8).arrayBuffer());
  } catch (fault) {
    throw new FileProblem('unreadable', fault);
  }
}

/** The first boxes of MP4 and QuickTime files. */
const FIRST_BOXES = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
const MATROSKA_START = [0x1a, 0x45, 0xdf, 0xa3];

/** By its first bytes: names and types of files are wrong or missing on some phones. The server reads the rest. */
function typeOf(start: Uint8Array): string | null {
  if (FIRST_BOXES.includes(String.fromCharCode(...start.subarray(4, 8)))) return 'video/mp4';
  return MATROSKA_START.every((byte, index) => start[index] === byte) ? 'video/webm' : null;
}

/** 0 if this browser cannot play the type: the server may still be able to. */
async function durationOf(file: File): Promise<number> {
  const url = URL.createObjectURL(file);
  const video = document.createElement('video');
  try {
    video.preload = 'metadata';
    const known = new Promise<void>((resolve) => {
      video.onloadedmetadata = () => resolve();
      video.onerror = () => resolve();
      window.setTimeout(resolve, METADATA_PATIENCE_MS);
    });
    video.src = url;
    await known;
    return Number.isFinite(video.duration) ? Math.round(video.duration * 1_000) : 0;
  } finally {
    video.removeAttribute('src');
    video.load();
    URL.revokeObjectURL(url);
  }
}
