import type { ColumnType, Generated } from 'kysely';
import type { ConsentSource } from './delivery.ts';
import type { Owned } from './team.ts';

/** A request to erase a recipient: the list of work, and the receipt. */
export interface RecipientErasureTable extends Owned {
  status: 'processing' | 'completed';
  /** Null once completed. */
  sealed_phone: Buffer | null;
  removed: ColumnType<Readonly<Record<string, number>>, string, string>;
  opt_out_kept: Generated<boolean>;
  pass: Generated<number>;
  step: string;
  /** The last id that the step has done. */
  position: Generated<string>;
  due_at: Date | null;
  /** In real time. */
  accepted_at: ColumnType<Date, never, never>;
  created_at: Date;
  completed_at: Date | null;
}

export interface ErasedOptOutTable {
  organization_id: string;
  environment: 'test';
  phone_hash: Buffer;
  source: ConsentSource;
  opted_out_at: Date;
}
