import { hash } from 'node:crypto';
import { ERRORS } from '@foreword/contract';
import canonicalize from 'canonicalize';
import { ApiError } from '../platform/errors.ts';

function canonical(body: unknown): string {
  try {
    return canonicalize(body) ?? '';
  } catch {
    // RFC 8785 has no form for half a surrogate pair. Only a member's id may hold one, and it matches nobody.
    return JSON.stringify(body);
  }
}

/** The same operation with the same content, however it was spelled: RFC 8785 forgets white space and key order. */
export function fingerprintOf(method: string, path: string, body: unknown): Buffer {
  return hash('sha256', `${method} ${path}\n${canonical(body)}`, 'buffer');
}

export const conflict = (): ApiError => new ApiError('idempotency_conflict', ERRORS.idempotency_conflict.example);
