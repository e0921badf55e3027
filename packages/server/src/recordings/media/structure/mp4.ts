import { MAX_TRACKS, type RefusalCode } from '../limits.ts';
import {
  type FileWindow,
  MAX_BOXES,
  MAX_DEPTH,
  MAX_EDITS,
  MAX_FORMATS,
  MAX_FRAGMENTS,
  MAX_METADATA,
  MAX_PACKETS,
  MAX_SOUND_SAMPLES,
  MAX_TABLES_BYTES,
  MAX_TRACK_PACKETS,
} from './limits.ts';

/** Boxes with children, and how many bytes precede the children. `meta` differs between MP4 and QuickTime. */
const CONTAINERS: Readonly<Record<string, number>> = {
  ...{ moov: 0, trak: 0, edts: 0, mdia: 0, minf: 0, dinf: 0, dref: 8, stbl: 0, mvex: 0, moof: 0, traf: 0, mfra: 0 },
  ...{ udta: 0, meta: 4, ilst: 0, tref: 0, tapt: 0, clip: 0, sinf: 0, schi: 0 },
};

/** Tables that start with version, flags and the number of entries. */
const TABLES: Readonly<Record<string, number>> = {
  elst: MAX_EDITS,
  stsd: MAX_FORMATS,
  dref: MAX_FORMATS,
  keys: MAX_METADATA,
  ...Object.fromEntries(
    ['stts', 'ctts', 'stsc', 'stco', 'co64', 'stss', 'stps', 'stsh', 'subs', 'trun'].map((type) => [
      type,
      MAX_TRACK_PACKETS,
    ]),
  ),
};

const MOVE_HEADERS = new Set(['cmov', 'mvhd']);
const ALTERNATIVES_TO_MOOV = new Set(['free', 'hoov']);
const SELF_CONTAINED = 1;

interface Box {
  readonly type: string;
  readonly body: number;
  readonly end: number;
}

interface Track {
  isSound: boolean;
  /** The largest count of samples that any of its tables claims. */
  samples: number;
}

class Refused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(code);
    this.code = code;
  }
}

/**
 * Why an MP4 or QuickTime file must not reach a decoder: tables larger than any take needs, or samples in another file. Reads
 * only headers and counts. Null means acceptable so far: the inspection finds files that are merely broken.
 */
export function findMp4Fault(file: FileWindow): RefusalCode | null {
  try {
    new Mp4Check(file).walk(0, file.size, '', 0);
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.code;
    throw error;
  }
}

class Mp4Check {
  private readonly file: FileWindow;
  private boxes = 0;
  private tracks = 0;
  private fragments = 0;
  private packets = 0;
  private track: Track | null = null;

  constructor(file: FileWindow) {
    this.file = file;
  }

  walk(from: number, to: number, parent: string, depth: number): void {
    ensure(depth <= MAX_DEPTH);
    for (let at = from; at + 8 <= to; ) {
      this.boxes += 1;
      ensure(this.boxes <= MAX_BOXES);
      const box = this.readBox(at, to);
      if (box === null) return;
      this.checkBox(box, parent);
      const skipped = parent === 'dref' ? undefined : this.bytesBeforeChildren(box);
      if (skipped !== undefined) this.enter(box, skipped, depth);
      at = box.end;
    }
  }

  private enter(box: Box, skipped: number, depth: number): void {
    const isTrack = box.type === 'trak';
    if (isTrack) this.track = { isSound: false, samples: 0 };
    this.walk(box.body + skipped, box.end, box.type, depth + 1);
    if (!isTrack || this.track === null) return;
    ensure(this.track.samples <= (this.track.isSound ? MAX_SOUND_SAMPLES : MAX_TRACK_PACKETS));
    this.track = null;
  }

  private checkBox(box: Box, parent: string): void {
    const { type, body, end } = box;
    if (parent === 'dref') {
      // Decoders may follow such a reference to any path.
      if (((this.number(body) ?? 0) & SELF_CONTAINED) === 0) throw new Refused('not_a_video');
      return;
    }
    const limit = TABLES[type];
    if (limit !== undefined) ensure((this.number(body + 4) ?? 0) <= limit);
    if (type === 'moov' || type === 'moof') ensure(end - body <= MAX_TABLES_BYTES);
    if (type === 'trak') ensure(++this.tracks <= MAX_TRACKS);
    if (type === 'moof') ensure(++this.fragments <= MAX_FRAGMENTS);
    // Compressed tables would escape this check. FFmpeg also reads them from boxes that other readers skip.
    ensure(type !== 'cmov' && !(ALTERNATIVES_TO_MOOV.has(type) && MOVE_HEADERS.has(this.text(body + 4))));
    if (type === 'trun') {
      this.packets += this.number(body + 4) ?? 0;
      ensure(this.packets <= MAX_PACKETS);
    }
    if (this.track !== null) this.checkTrack(this.track, box);
    this.checkUnusual(box);
  }

  private checkTrack(track: Track, { type, body, end }: Box): void {
    if (type === 'hdlr' && this.text(body + 8) === 'soun') track.isSound = true;
    if (type === 'stsz' || type === 'stz2') {
      const samples = this.number(body + 8) ?? 0;
      const isUniform = type === 'stsz' && this.number(body + 4) !== 0;
      ensure(isUniform || samples <= MAX_TRACK_PACKETS);
      track.samples = Math.max(track.samples, samples);
    }
    if (type === 'stts' || type === 'ctts') {
      const entries = this.number(body + 4) ?? 0;
      let samples = 0;
      for (let n = 0; n < entries && body + 8 + 8 * n < end; n++) samples += this.number(body + 8 + 8 * n) ?? 0;
      track.samples = Math.max(track.samples, samples);
    }
  }

  /** Tables that recorders rarely write. */
  private checkUnusual({ type, body, end }: Box): void {
    const first = this.number(body) ?? 0;
    const [version, flags] = [first >>> 24, first & 0xffffff];
    const count = (at: number) => ensure((this.number(body + at) ?? 0) <= MAX_TRACK_PACKETS);
    if (type === 'sbgp') count(version === 1 ? 12 : 8);
    if (type === 'sgpd') count(version === 0 ? 8 : 12);
    if (type === 'saiz') count(flags & 1 ? 13 : 5);
    if (type === 'saio') count(flags & 1 ? 12 : 4);
    if (type === 'tfra') count(12);
    // One byte for each sample.
    if (type === 'sdtp') ensure(end - body <= MAX_TRACK_PACKETS + 4);
    // The items of a picture file; version 0 has two bytes for their number.
    if (type === 'iinf') {
      const items = this.number(body + 4) ?? 0;
      ensure((version === 0 ? items >>> 16 : items) <= MAX_METADATA);
    }
  }

  private bytesBeforeChildren({ type, body }: Box): number | undefined {
    if (type === 'meta' && this.text(body + 4) === 'hdlr') return 0;
    return CONTAINERS[type];
  }

  private number(at: number): number | null {
    return this.file.read(at, 4)?.readUInt32BE(0) ?? null;
  }

  private text(at: number): string {
    return this.file.read(at, 4)?.toString('latin1') ?? '';
  }

  private readBox(at: number, limit: number): Box | null {
    const head = this.file.read(at, 8);
    if (head === null) return null;
    const [short, type] = [head.readUInt32BE(0), head.toString('latin1', 4, 8)];
    const long = short === 1 ? this.file.read(at + 8, 8) : null;
    if (short === 1 && long === null) return null;
    const length = long !== null ? Number(long.readBigUInt64BE(0)) : short === 0 ? limit - at : short;
    const body = at + (long !== null ? 16 : 8);
    if (length < body - at) return null;
    return { type, body, end: Math.min(at + length, limit) };
  }
}

function ensure(isWithinLimit: boolean): void {
  if (!isWithinLimit) throw new Refused('too_complex');
}
