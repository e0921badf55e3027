import { readSync } from 'node:fs';
import { MAX_DURATION_S, MAX_FRAMES_PER_SECOND } from '../limits.ts';

// Limits on the tables of a file. Each limit is what the longest take can need, however it was recorded. Some decoders
// spend time in proportion to the product of two tables, so a file of a few megabytes could occupy them for an hour.

export const MAX_FRAMES = MAX_FRAMES_PER_SECOND * MAX_DURATION_S;
/** The shortest Opus packet lasts 2.5 ms; other codecs have fewer packets. */
const MAX_SOUND_PACKETS_PER_SECOND = 400;
const MAX_SOUND_PACKETS = MAX_SOUND_PACKETS_PER_SECOND * MAX_DURATION_S;
/** Packets of one track, and entries of each of its tables. */
export const MAX_TRACK_PACKETS = Math.max(MAX_FRAMES, MAX_SOUND_PACKETS);
/** Packets of all tracks. A take is one picture and one sound; the other tracks of a phone's file have few. */
export const MAX_PACKETS = MAX_FRAMES + MAX_SOUND_PACKETS;
/** Uncompressed sound counts each sample, in a table without entries. */
export const MAX_SOUND_SAMPLES = 192_000 * MAX_DURATION_S;
/** Recorders that write as they record start a fragment or cluster every second, at most for each frame. */
export const MAX_FRAGMENTS = 60 * MAX_DURATION_S;
/** A trimmed video has two or three; changes of speed add a few. */
export const MAX_EDITS = 50;
/** Formats within one track: a camera that switches between front and back adds one. */
export const MAX_FORMATS = 16;
/** Tags, chapters and similar descriptions. A phone writes about twenty. */
export const MAX_METADATA = 1_000;
/** Cover pictures and fonts; recorders write none. */
export const MAX_ATTACHMENTS = 16;
/** The deepest tables of an ordinary file are at level 8. */
export const MAX_DEPTH = 12;
/** A few dozen, plus about ten for each fragment. */
export const MAX_BOXES = 2_000 + 12 * MAX_FRAGMENTS;
/** Each packet of a WebM file can have a few elements of its own. */
export const MAX_ELEMENTS = 6 * MAX_PACKETS;
/** The tables of the longest take need one megabyte; a cover picture may be part of them. */
export const MAX_TABLES_BYTES = 16_000_000;

const WINDOW_BYTES = 16 * 1024;

/** Reads a few bytes at a time through one buffer, because a system call for each element would cost more than parsing it. */
export interface FileWindow {
  readonly size: number;
  /** Null if the file ends earlier. */
  read(at: number, length: number): Buffer | null;
}

export function openWindow(fd: number, size: number): FileWindow {
  const buffer = Buffer.alloc(WINDOW_BYTES);
  let [from, to] = [0, 0];
  return {
    size,
    read(at, length) {
      if (at < 0 || at + length > size) return null;
      if (at < from || at + length > to) {
        from = at;
        to = at + readSync(fd, buffer, 0, WINDOW_BYTES, at);
        if (at + length > to) return null;
      }
      return buffer.subarray(at - from, at - from + length);
    },
  };
}
