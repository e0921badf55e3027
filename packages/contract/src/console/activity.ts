import { oneOf } from '../fields.ts';
import type { AuditAction, AuditActor, SignInFailure } from '../plain/audit.ts';
import { AUDIT_ACTIONS, AUDIT_ACTORS, AUDIT_GROUPS } from '../plain/audit.ts';
import type { ConsentSource } from '../plain/consent.ts';
import { ClosedObject, Type } from '../schema.ts';
import { searchText } from './developers.ts';
import { Day } from './intros.ts';
import { define, response } from './operation.ts';

export const ActivityQuery = ClosedObject({
  actor: Type.Optional(searchText('Only entries of the member or API key with this id.', 64)),
  actor_type: Type.Optional(oneOf(AUDIT_ACTORS, 'Only entries of this kind of actor.')),
  group: Type.Optional(oneOf(AUDIT_GROUPS, 'Only actions of this group.')),
  action: Type.Optional(oneOf(AUDIT_ACTIONS, 'Only this action.')),
  q: Type.Optional(searchText('An id: of the object, the actor, the request or the entry.', 64)),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  before: Type.Optional(searchText('`next` of the previous page.', 64)),
});

export interface ActivityEntry {
  readonly id: string;
  readonly at: string;
  readonly action: AuditAction;
  readonly actor: { readonly type: AuditActor; readonly id: string | null; readonly name: string | null };
  /** The name is the current one. Null for objects without a name, and for those that no longer exist. */
  readonly object: { readonly id: string; readonly name: string | null; readonly slug: string | null } | null;
  /** The member who got a reassigned intro. */
  readonly related: { readonly id: string; readonly name: string | null } | null;
  /** Names of the changed fields. Their values are never stored. */
  readonly fields: readonly string[];
  readonly reason: SignInFailure | ConsentSource | null;
  /** Null for managers, and for changes by commands and the service. */
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
}

export interface Activity {
  readonly entries: readonly ActivityEntry[];
  /** The start of the next page. Null on the last page. */
  readonly next: string | null;
}

export const ACTIVITY_OPERATIONS = define({
  readActivity: { route: 'GET /activity', role: 'manager', query: ActivityQuery, success: response<Activity>() },
});
