import { randomFillSync } from 'node:crypto';
import { realTime } from './clock.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const ID_PATTERN = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}$/;

/** Random bytes are read in blocks: asking the kernel for ten bytes costs more than building the id. */
const pool = Buffer.alloc(8192);
let drawn = pool.length;

function randomByte(): number {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const byte = pool[drawn++];
  return byte ?? 0;
}

let lastMs = 0;
let sequence = 0;

/** 10 characters encode 50 bits for 48 bits of time, so the top two bits are zero. */
const TIME_LENGTH = 10;

function timeText(ms: number): string {
  let time = '';
  for (let rest = ms, i = 0; i < TIME_LENGTH; i++, rest = Math.floor(rest / 32)) time = ALPHABET[rest % 32] + time;
  return time;
}

/** Lower bound for ids created at or after `at`. */
export const idBound = (prefix: string, at: Date): string => `${prefix}_${timeText(Math.max(0, at.getTime()))}`;

/** When an object was created, from its id; null for anything else. */
export function createdAtOf(id: string): Date | null {
  if (!ID_PATTERN.test(id)) return null;
  const time = id.slice(id.indexOf('_') + 1).slice(0, TIME_LENGTH);
  return new Date([...time].reduce((ms, character) => ms * 32 + ALPHABET.indexOf(character), 0));
}

/**
 * A UUIDv7 in base32: 48 bits of time, a 12-bit counter within the millisecond, 62 random bits. Ids of one process sort
 * strictly by creation; across processes the order is as accurate as the clocks. Test clocks do not
 * matter: an id of the future would come before all later ones.
 */
export function newId(prefix: string, now: Date): string {
  const ms = realTime(now).getTime();
  if (ms > lastMs) {
    lastMs = ms;
    sequence = 0;
  } else if (++sequence > 0xfff) {
    // The counter is full or the clock went back: borrow the next millisecond to keep the order.
    lastMs += 1;
    sequence = 0;
  }
  // After the time, 3 characters encode version (0b111) and counter; 13 are random.
  const counter = 0x7000 | sequence;
  let id = `${prefix}_${timeText(lastMs)}`;
  for (const shift of [10, 5, 0]) id += ALPHABET[(counter >> shift) & 31];
  for (let i = 0; i < 13; i++) id += ALPHABET[randomByte() & 31];
  return id;
}

/** Uniform over 62 characters; bytes from 248 up are skipped, because they would favor the first eight. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text;
}

export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text;
}

/** The reverse, for digits of base 62. */
export function parseBase62(text: string): number {
  let value = 0;
  for (const digit of text) value = value * 62 + BASE62.indexOf(digit);
  return value;
}

/** A random number from 0 up to 1. Other modules get it as a parameter, so that tests can replace it. */
export type Chance = () => number;

export const systemChance: Chance = () => Math.random();
