/** Changes to members that also concern their intros and sessions. */

import { lanesOf, type UpdateMember } from '@foreword/contract';
import type { Database, Row, Tenant, Tx } from '../../db/tenancy.ts';
import type { Caller, ChangeId, Handlers, Input, KeyedChange } from '../../http/index.ts';
import { type IntroEvents, type Reassign, settleOpenIntros } from '../../intros/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { type Clock, realTime } from '../../platform/clock.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import type { TestClocks } from '../../testing/clock/index.ts';
import {
  addMember,
  changeMember,
  deactivateMember,
  findByExternalId,
  listMembers,
  lockTeam,
  presentMember,
  reactivateMember,
  requireMember,
  type TeamEditor,
} from '../index.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly testClocks: TestClocks;
  readonly reassign: Reassign;
  readonly introEvents: IntroEvents;
  /** Signs the members out of the console. Passed in, because the console imports this module. */
  endAccess(tx: Tx, tenant: Tenant, memberIds: readonly string[], now: Date): Promise<void>;
}

async function requireSuccessor(tx: Tx, tenant: Tenant, id: string, leaver: string): Promise<void> {
  const refusal = invalid('open_intros.reassign_to', 'must be another active member of your organization');
  if (id === leaver) throw refusal;
  const { active, likeness_withdrawn_at: withdrawnAt } = await requireMember(tx, tenant, id).catch((error: unknown) => {
    throw error instanceof ApiError ? refusal : error;
  });
  if (!active || withdrawnAt !== null) throw refusal;
}

/** The fields that differ, so that a repeated sync changes nothing. */
function differences(before: Row<'members'>, given: UpdateMember): Partial<Row<'members'>> {
  const entries = Object.entries(given).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof UpdateMember]),
  );
  return Object.fromEntries(entries);
}

export function memberOperations(deps: Deps) {
  const { db, clock, testClocks, endAccess } = deps;

  /** Changes to the team of an organization run one after the other. */
  const change = <K extends ChangeId>(
    work: (tx: Tx, editor: TeamEditor, caller: Caller, input: Input<K>) => Promise<Row<'members'>>,
  ): KeyedChange<K> => ({
    async run(tx, caller, input) {
      await lockTeam(tx, caller);
      const organization = await findOrganization(tx, caller.organizationId);
      const possibleLanes = organization === null ? [] : lanesOf(organization);
      const { by, role } = caller;
      const editor: TeamEditor =
        role === undefined
          ? { tenant: caller, memberId: null, role: 'integration', possibleLanes }
          : { tenant: caller, memberId: by, role, possibleLanes };
      return presentMember(await work(tx, editor, caller, input));
    },
    // A sync repeats the key of a record for as long as it does not change.
    restore: async (tx, caller, _input, id) => presentMember(await requireMember(tx, caller, id ?? '')),
  });

  /** Members sign in with their email, so a new email ends the sessions that the old one started. */
  async function update(
    tx: Tx,
    editor: TeamEditor,
    before: Row<'members'>,
    given: UpdateMember,
  ): Promise<Row<'members'>> {
    const row = await changeMember(tx, editor, before.id, differences(before, given));
    if (row.email.toLowerCase() !== before.email.toLowerCase()) await endAccess(tx, editor.tenant, [row.id], clock());
    return row;
  }

  return {
    listMembers: (caller, { query }) => listMembers(db, caller, query),
    retrieveMember: async (caller, { params }) => presentMember(await requireMember(db.kysely, caller, params.id)),
    createMember: change(async (tx, editor, caller, { body }) => {
      const { external_id: externalId } = body;
      const existing = externalId === undefined ? null : await findByExternalId(tx, caller, externalId);
      return existing === null ? addMember(tx, clock, editor, body) : update(tx, editor, existing, body);
    }),
    updateMember: change(async (tx, editor, caller, { params, body }) =>
      update(tx, editor, await requireMember(tx, caller, params.id), body),
    ),
    deactivateMember: change(async (tx, editor, caller, { params: { id }, body }) => {
      const before = await requireMember(tx, caller, id);
      if (!before.active) return before;
      const { open_intros: openIntros = 'keep' } = body;
      const now = await testClocks.nowWithin(tx, caller);
      await deactivateMember(tx, editor, id);
      if (typeof openIntros === 'object') await requireSuccessor(tx, caller, openIntros.reassign_to, id);
      await endAccess(tx, caller, [id], realTime(now));
      await settleOpenIntros(deps, tx, { tenant: caller, memberId: id, by: caller.by, openIntros }, now);
      return { ...before, active: false };
    }),
    reactivateMember: change(async (tx, editor, caller, { params: { id } }) => {
      const before = await requireMember(tx, caller, id);
      if (before.active) return before;
      const row = await reactivateMember(tx, editor, id);
      // If the operator's command deactivated the member, the sessions still exist.
      await endAccess(tx, caller, [id], clock());
      return row;
    }),
  } satisfies Partial<Handlers>;
}
