import { readSync } from 'node:fs';

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
