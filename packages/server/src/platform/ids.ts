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
/** The characters after the time. One string from bytes takes a tenth of the memory that joining characters does. */
const rest = Buffer.alloc(16);

/** 10 characters encode 50 bits for 48 bits of time, so the top two bits are zero. */
const TIME_LENGTH = 10;

let textOfMs = -1;
let lastText = '';

/** Many ids are of the same millisecond. */
function timeText(ms: number): string {
  if (ms === textOfMs) return lastText;
  let time = '';
  for (let left = ms, i = 0; i < TIME_LENGTH; i++, left = Math.floor(left / 32)) time = ALPHABET[left % 32] + time;
  textOfMs = ms;
  lastText = time;
  return time;
}

/** Lower bound for ids created at or after `at`. */
export const idBound = (prefix: string, at: Date): string => `${prefix}_${timeText(Math.max(0, at.getTime()))}`;

/** When an object was created, from its id; null for anything else. */
export function createdAtOf(id: string): Date | null {
  if (!ID_PATTERN.test(id)) return null;
  const start = id.indexOf('_') + 1;
  let ms = 0;
  for (let at = start; at < start + TIME_LENGTH; at++) ms = ms * 32 + ALPHABET.indexOf(id.charAt(at));
  return new Date(ms);
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
  rest[0] = ALPHABET.charCodeAt(counter >> 10);
  rest[1] = ALPHABET.charCodeAt((counter >> 5) & 31);
  rest[2] = ALPHABET.charCodeAt(counter & 31);
  for (let at = 3; at < rest.length; at++) rest[at] = ALPHABET.charCodeAt(randomByte() & 31);
  return `${prefix}_${timeText(lastMs)}${rest.toString('latin1')}`;
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
