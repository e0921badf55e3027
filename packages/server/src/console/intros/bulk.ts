import type { BulkAction, BulkResult, ConsoleBody } from '@foreword/contract';
import type { Tx } from '../../db/tenancy.ts';
import { remindManually } from '../../delivery/index.ts';
import { cancelManually, findIntro } from '../../intros/index.ts';
import { findMember } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';

type Deps = Pick<ConsoleDeps, 'db' | 'testClocks' | 'carriers' | 'introEvents' | 'reassign' | 'log'>;
type Body = ConsoleBody<'POST /intros/bulk'>;

const FAILED = 'Something went wrong. Try again.';

/** Fails the whole request, before it changes anything. */
async function requireValid({ db }: Deps, { tenant }: ConsoleUser, { action, member }: Body): Promise<void> {
  if (action !== 'reassign') {
    if (member !== undefined) throw invalid('member', 'is only for reassigning');
    return;
  }
  const row = member !== undefined && ID_PATTERN.test(member) ? await findMember(db.kysely, tenant, member) : null;
  if (row?.active !== true) throw invalid('member', 'must be an active member of this organization');
}

/** Returns null, or why nothing changed. */
async function apply(
  deps: Deps,
  tx: Tx,
  user: ConsoleUser,
  { action, member, id }: { action: BulkAction; member: string | undefined; id: string },
): Promise<ApiError | null> {
  const now = deps.testClocks.now(user.tenant);
  switch (action) {
    case 'cancel':
      return cancelManually(deps, tx, user.tenant, { introId: id, by: user.memberId }, now);
    case 'reassign':
      return deps.reassign(tx, user.tenant, { introId: id, memberId: member ?? '', by: user.memberId }, now);
    case 'remind':
      await remindManually(deps, tx, user.tenant, id, now);
      return null;
  }
}

/** Whether the intro already is as the action would leave it, for example because the request was repeated. */
async function isDone({ db }: Deps, { tenant }: ConsoleUser, { action, member }: Body, id: string, refusal: ApiError) {
  if (action === 'remind') return refusal.code === 'too_soon';
  const row = ID_PATTERN.test(id) ? await findIntro(db.kysely, tenant, id) : null;
  return action === 'cancel' ? row?.status === 'cancelled' : row?.status === 'requested' && row.member_id === member;
}

async function changeOne(deps: Deps, user: ConsoleUser, body: Body, id: string): Promise<BulkResult> {
  const { action, member } = body;
  try {
    const refusal = await deps.db.kysely
      .transaction()
      .execute((tx) => apply(deps, tx, user, { action, member, id }))
      .catch((error: unknown) => {
        if (error instanceof ApiError) return error;
        throw error;
      });
    if (refusal === null) return { id, outcome: 'done', reason: null };
    const isUnchanged = await isDone(deps, user, body, id, refusal);
    return { id, outcome: isUnchanged ? 'unchanged' : 'refused', reason: refusal.message };
  } catch (err) {
    // The others still get their result: some of them have changed already.
    deps.log.error({ err, intro: id, organization: user.tenant.organizationId }, 'an intro was not changed');
    return { id, outcome: 'refused', reason: FAILED };
  }
}

/** Changes several intros, each in a transaction of its own, so that one refusal or crash does not undo the others. */
export const createBulkHandler =
  (deps: Deps): ConsoleHandlers['changeIntros'] =>
  async (user, { body }) => {
    await requireValid(deps, user, body);
    const results: BulkResult[] = [];
    for (const id of new Set(body.ids)) results.push(await changeOne(deps, user, body, id));
    return { results };
  };
