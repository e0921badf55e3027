import type { Language } from '@foreword/contract';
import type { Generated } from 'kysely';
import type { Owned } from './team.ts';

/** Null in the columns of the text: the member withdrew without having given it. */
export interface LikenessConsentTable extends Owned {
  member_id: string;
  version: string | null;
  language: Language | null;
  text: string | null;
  given_at: Date | null;
  given_by: 'recording' | 'console' | null;
  withdrawn_at: Date | null;
  /** Null: not withdrawn, or by the operator. */
  withdrawn_by: string | null;
}

export interface LikenessRemovalTable {
  organization_id: string;
  environment: 'test';
  member_id: string;
  withdrawn_at: Date;
  withdrawn_by: string | null;
  reassign_to: string | null;
  claimed_at: Date | null;
  finished_at: Date | null;
  closed: Generated<number>;
  reassigned: Generated<number>;
  taken_down: Generated<number>;
  videos: Generated<number>;
}
