import type { AuditAction, AuditActor, SignInFailure } from '@foreword/contract';
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
  reason: SignInFailure | null;
  ip: string | null;
  user_agent: string | null;
  request_id: string | null;
}
