import { hash } from 'node:crypto';
import { ERRORS } from '@foreword/contract';
import canonicalize from 'canonicalize';
import { ApiError } from '../platform/errors.ts';

/** The same operation with the same content, however it was spelled: RFC 8785 forgets white space and key order. */
export function fingerprintOf(method: string, path: string, body: unknown): Buffer {
  return hash('sha256', `${method} ${path}\n${canonicalize(body)}`, 'buffer');
}

export const conflict = (): ApiError => new ApiError('idempotency_conflict', ERRORS.idempotency_conflict.example);
