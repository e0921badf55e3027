import { ERASED_KINDS, type RecipientErasure } from '@foreword/contract';
import type { ErasureRow } from './store/erasures.ts';

export function presentErasure(row: ErasureRow, introIds: readonly string[]): RecipientErasure {
  return {
    id: row.id,
    object: 'recipient_erasure',
    status: row.status,
    intros: [...introIds],
    removed: Object.fromEntries(
      ERASED_KINDS.map((kind) => [kind, row.removed[kind] ?? 0]),
    ) as RecipientErasure['removed'],
    opt_out_kept: row.opt_out_kept,
    environment: row.environment,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
