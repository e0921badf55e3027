import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../platform/ids.ts';

const PREFIX = 'fw_test_';
const RANDOM_LENGTH = 24;
const CHECKSUM_LENGTH = 6;
const KEY = /^fw_test_[0-9A-Za-z]{30}$/;
const BEARER = /^Bearer ([^ ]+)$/i;

const checksum = (text: string) => toBase62(crc32(text), CHECKSUM_LENGTH);

export function makeKey(): string {
  const start = PREFIX + randomBase62(RANDOM_LENGTH);
  return start + checksum(start);
}

export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Detects a typo without a database query. */
export function isWellFormedKey(key: string): boolean {
  return KEY.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH);
}

export function readBearer(authorization: string): string | null {
  return BEARER.exec(authorization)?.[1] ?? null;
}
