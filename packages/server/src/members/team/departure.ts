import type { Tenant, Tx } from '../../db/tenancy.ts';
import { type IntroEvents, type OpenIntroAction, type Reassign, settleOpenIntros } from '../../intros/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { deactivateMember, requireMember, type TeamEditor } from '../index.ts';

export interface DepartureDeps {
  readonly reassign: Reassign;
  readonly introEvents: IntroEvents;
  /** Signs the members out of the console. Passed in, because the console imports this module. */
  endAccess(tx: Tx, tenant: Tenant, memberIds: readonly string[], now: Date): Promise<void>;
}

export interface Departure {
  readonly id: string;
  /** The id of the member or of the API key that decided it. Null: the operator. */
  readonly by: string | null;
  /** The members who get intros, and the field of the request that names each. */
  readonly successors: ReadonlyMap<string, string>;
  readonly actionFor: (intro: { id: string; isRecorded: boolean }) => OpenIntroAction;
  readonly now: Date;
}

async function requireSuccessor(
  tx: Tx,
  { tenant }: TeamEditor,
  { id, field, leaver }: { id: string; field: string; leaver: string },
): Promise<void> {
  const refusal = invalid(field, 'must be another active member of your organization');
  if (id === leaver) throw refusal;
  const { active, likeness_withdrawn_at: withdrawnAt } = await requireMember(tx, tenant, id).catch((error: unknown) => {
    throw error instanceof ApiError ? refusal : error;
  });
  if (!active || withdrawnAt !== null) throw refusal;
}

/** Deactivates the member, signs them out and settles their open intros. */
export async function deactivateAndSettle(
  deps: DepartureDeps,
  tx: Tx,
  editor: TeamEditor,
  { id, by, successors, actionFor, now }: Departure,
): ReturnType<typeof settleOpenIntros> {
  await deactivateMember(tx, editor, id);
  for (const [successor, field] of successors) await requireSuccessor(tx, editor, { id: successor, field, leaver: id });
  await deps.endAccess(tx, editor.tenant, [id], now);
  return settleOpenIntros(deps, tx, { tenant: editor.tenant, memberId: id, by }, actionFor, now);
}
