import { AnyId } from '../fields.ts';
import { MAX_BULK_INTROS } from '../plain/index.ts';
import { Type } from '../schema.ts';

export const BULK_ACTIONS = ['remind', 'reassign', 'cancel'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The result for one intro of a request that changes several. */
export interface BulkResult {
  readonly id: string;
  /** `unchanged`: it already was like that, for example after a repeated request. */
  readonly outcome: 'done' | 'unchanged' | 'refused';
  /** Why it was refused. */
  readonly reason: string | null;
}

export const BulkBody = Type.Object(
  {
    action: Type.Enum([...BULK_ACTIONS], {
      type: 'string',
      'x-problem': `must be one of ${BULK_ACTIONS.join(', ')}`,
    }),
    ids: Type.Array(AnyId('An intro id.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw'), {
      minItems: 1,
      maxItems: MAX_BULK_INTROS,
      'x-problem': `must be 1 to ${MAX_BULK_INTROS} intro ids`,
    }),
    member: Type.Optional(AnyId('The new member, to reassign.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw')),
  },
  { additionalProperties: false },
);
