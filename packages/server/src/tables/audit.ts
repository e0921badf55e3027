import type { AuditAction, AuditActor, ConsentSource, SignInFailure } from '@foreword/contract';
import type { ColumnType } from 'kysely';
import type { Owned } from './team.ts';

export interface AuditEntryTable extends Owned {
  at: ColumnType<Date, never, never>;
  action: AuditAction;
  actor_type: AuditActor;
  actor_id: string | null;
  object_id: string | null;
  related_id: string | null;
  fields: string[];
  /** Why a sign-in failed, or how a consent was received. */
  reason: SignInFailure | ConsentSource | null;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
}
