import { MAX_TRACKS, type RefusalCode } from '../limits.ts';
import {
  type FileWindow,
  MAX_ATTACHMENTS,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_FRAGMENTS,
  MAX_FRAMES,
  MAX_METADATA,
  MAX_PACKETS,
  MAX_TABLES_BYTES,
} from './limits.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const SEEK_HEAD = 0x114d9b74;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const CUES = 0x1c53bb6b;
const CUE_POINT = 0xbb;
const CLUSTER = 0x1f43b675;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const BLOCK_ADDITIONS = 0x75a1;
const BLOCK_MORE = 0xa6;
const TAGS = 0x1254c367;
const TAG = 0x7373;
const SIMPLE_TAG = 0x67c8;
const ATTACHMENTS = 0x1941a469;
const ATTACHED_FILE = 0x61a7;
const CHAPTERS = 0x1043a770;
const EDITION = 0x45b9;
const CHAPTER = 0xb6;
const CONTENT_ENCODINGS = 0x6d80;
const CONTENT_ENCODING = 0x6240;
const SEEK = 0x4dbb;

/** They end an element of unknown size, which a recorder writes because it cannot know the size yet. */
const TOP_LEVEL = new Set([EBML, SEGMENT]);
const IN_SEGMENT = new Set([SEEK_HEAD, INFO, TRACKS, CUES, CLUSTER, TAGS, ATTACHMENTS, CHAPTERS, ...TOP_LEVEL]);

const MASTERS = new Set([
  ...[SEGMENT, SEEK_HEAD, TRACKS, TRACK, CONTENT_ENCODINGS, CONTENT_ENCODING, CUES, CUE_POINT, CLUSTER, BLOCK_GROUP],
  ...[BLOCK_ADDITIONS, BLOCK_MORE, TAGS, TAG, SIMPLE_TAG, ATTACHMENTS, CHAPTERS, EDITION, CHAPTER],
]);

/** How many elements of a kind the whole file may have. */
const LIMITS: ReadonlyMap<number, number> = new Map([
  [TRACK, MAX_TRACKS],
  [CUE_POINT, MAX_FRAMES],
  [CLUSTER, MAX_FRAGMENTS],
  [SEEK, MAX_METADATA],
  [TAG, MAX_METADATA],
  [SIMPLE_TAG, MAX_METADATA],
  [CHAPTER, MAX_METADATA],
  [ATTACHED_FILE, MAX_ATTACHMENTS],
  [CONTENT_ENCODING, MAX_TRACKS],
]);

/** Decoders keep these in memory as a whole. */
const TABLES = new Set([TRACKS, CUES, TAGS, ATTACHMENTS, CHAPTERS, SEEK_HEAD]);

/** In the flags of a block: it contains several frames. */
const LACED = 0x06;

interface Element {
  readonly id: number;
  readonly body: number;
  /** Null when unknown. */
  readonly end: number | null;
}

class TooComplex extends Error {}

/** Why a WebM or Matroska file must not reach a decoder: it has more elements of some kind than any take needs. */
export function findMatroskaFault(file: FileWindow): RefusalCode | null {
  try {
    new MatroskaCheck(file).walk({ from: 0, to: file.size, depth: 0, endsAt: null });
    return null;
  } catch (error) {
    if (error instanceof TooComplex) return 'too_complex';
    throw error;
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** The parent has no size: it ends before one of these. */
  readonly endsAt: ReadonlySet<number> | null;
}

class MatroskaCheck {
  private readonly file: FileWindow;
  private readonly counts = new Map<number, number>();
  private elements = 0;
  private packets = 0;

  constructor(file: FileWindow) {
    this.file = file;
  }

  /** Returns where the parent ends. A broken element ends the check; the inspection judges what comes before. */
  walk({ from, to, depth, endsAt }: Span): number {
    ensure(depth <= MAX_DEPTH);
    let at = from;
    while (at < to) {
      const element = this.readElement(at);
      if (element === null) return this.file.size;
      const { id, body } = element;
      if (endsAt?.has(id)) return at;
      this.check(element, to);
      const end = Math.min(element.end ?? to, to);
      const inner = element.end === null ? (id === SEGMENT ? TOP_LEVEL : IN_SEGMENT) : null;
      at = MASTERS.has(id) ? this.walk({ from: body, to: end, depth: depth + 1, endsAt: inner }) : end;
      if (element.end !== null) at = end;
    }
    return at;
  }

  private check({ id, body, end }: Element, to: number): void {
    this.elements += 1;
    ensure(this.elements <= MAX_ELEMENTS);
    // Only these two are written before their end is known.
    ensure(end !== null || id === SEGMENT || id === CLUSTER);
    if (end !== null && TABLES.has(id)) ensure(Math.min(end, to) - body <= MAX_TABLES_BYTES);
    const limit = LIMITS.get(id);
    if (limit !== undefined) {
      const count = (this.counts.get(id) ?? 0) + 1;
      ensure(count <= limit);
      this.counts.set(id, count);
    }
    if (id === SIMPLE_BLOCK || id === BLOCK) {
      this.packets += this.framesIn(body);
      ensure(this.packets <= MAX_PACKETS);
    }
  }

  /** A block names its track, a time and flags; a laced block then has the number of its frames, less one. */
  private framesIn(block: number): number {
    const track = this.readNumber(block);
    if (track === null) return 1;
    const head = this.file.read(track.end, 4);
    if (head === null || ((head[2] ?? 0) & LACED) === 0) return 1;
    return (head[3] ?? 0) + 1;
  }

  private readElement(at: number): Element | null {
    const first = this.file.read(at, 1)?.[0] ?? 0;
    const length = Math.clz32(first) - 23;
    if (length > 4) return null;
    const id = this.file.read(at, length)?.readUIntBE(0, length);
    const size = this.readNumber(at + length);
    if (id === undefined || size === null) return null;
    return { id, body: size.end, end: size.value === null ? null : size.end + size.value };
  }

  /** A number of 1 to 8 bytes whose leading zeros give its length. Null as a value: all bits are set, so it is unknown. */
  private readNumber(at: number): { value: number | null; end: number } | null {
    const first = this.file.read(at, 1)?.[0] ?? 0;
    const length = Math.clz32(first) - 23;
    if (length > 8) return null;
    const bytes = this.file.read(at, length);
    if (bytes === null) return null;
    let value = first & (0xff >> length);
    let isUnknown = value === 0xff >> length;
    for (const byte of bytes.subarray(1)) {
      value = value * 256 + byte;
      isUnknown &&= byte === 0xff;
    }
    return { value: isUnknown ? null : value, end: at + length };
  }
}

function ensure(isWithinLimit: boolean): void {
  if (!isWithinLimit) throw new TooComplex();
}
