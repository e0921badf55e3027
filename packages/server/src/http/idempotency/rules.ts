import { hash } from 'node:crypto';
import { ApiError } from '../../platform/errors.ts';
import { createdAtOf } from '../../platform/ids.ts';

/** Characters that JSON does not escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new Error('unpaired surrogate');
  return JSON.stringify(text);
}

/** RFC 8785 for parsed JSON, in a third of the time that the library `canonicalize` takes. A test compares the two. */
export function canonicalize(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  // RFC 8785 formats numbers as JavaScript does.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join()}]`;
  const object = value as Record<string, unknown>;
  let text = '';
  // `sort` compares UTF-16 code units, as RFC 8785 requires.
  for (const name of Object.keys(object).sort()) {
    text += `${text === '' ? '' : ','}${quote(name)}:${canonicalize(object[name])}`;
  }
  return `{${text}}`;
}

function canonical(body: unknown): string {
  try {
    return canonicalize(body);
  } catch {
    // RFC 8785 does not allow unpaired surrogates. Only a member id can contain one, and it matches no member.
    return JSON.stringify(body);
  }
}

/** Only this hash of a key is stored, because a key may contain a customer's data. 16 bytes rule out collisions in practice. */
export const hashOfKey = (key: string): Buffer => hash('sha256', key, 'buffer').subarray(0, 16);

/** Equal for the same operation and content: RFC 8785 ignores white space and key order. */
export function fingerprintOf(method: string, path: string, body: unknown): Buffer {
  return hash('sha256', `${method} ${path}\n${canonical(body)}`, 'buffer');
}

/** A repeated request whose response was removed, and whose object cannot be read any more either. */
export function responseRemoved(objectId: string | null): ApiError {
  const object = objectId === null ? '' : ` It belongs to ${objectId}.`;
  const message = `This Idempotency-Key was already used, and its stored response has been removed.${object} The request was not run again: use a new key only for a new request.`;
  return new ApiError('idempotency_conflict', message, { objectId: objectId ?? undefined });
}

/** `objectId` is the object of the request that bound the key. An id contains when the object was created. */
export function conflict(objectId: string | null): ApiError {
  const createdAt = objectId === null ? null : createdAtOf(objectId);
  const object = createdAt === null ? '' : `. It belongs to ${objectId}, created at ${createdAt.toISOString()}`;
  const message = `This Idempotency-Key was already used for a different request${object}. Build each key from the data of its own request.`;
  return new ApiError('idempotency_conflict', message, { objectId: objectId ?? undefined });
}
