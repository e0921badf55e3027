import type { TObject, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly operationId: string;
  readonly tag: 'Touchpoint events' | 'Intros' | 'Touchpoints' | 'Members' | 'Test helpers' | 'Webhooks';
  readonly summary: string;
  readonly description: string;
  readonly params?: TObject;
  readonly query: TObject;
  /**
   * `needed`: JSON with at least one required field. `empty`: nothing, or `{}`, under any media type. `clip`: as `empty`, or a
   * video as it is, under one of the types of VIDEO_TYPES.
   */
  readonly body?: { readonly kind: 'needed' | 'empty' | 'clip'; readonly schema: TObject };
  readonly success: { readonly status: 200 | 201 | 202; readonly schema: TSchema; readonly says: string };
  /** Beyond those that every operation can answer. */
  readonly errors: readonly ErrorCode[];
}

export const EVERY_POST: readonly ErrorCode[] = ['validation_failed', 'idempotency_conflict', 'payload_too_large'];

export const define = <const T extends Record<string, Operation>>(operations: T) => operations;
