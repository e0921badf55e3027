import { type CreateMember, type DeactivateMember, lanesOf, type Member, type UpdateMember } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Row, Tables, Tenant } from '../db/tenancy.ts';
import { once } from '../idempotency/index.ts';
import type { OpenIntroAction } from '../intros/index.ts';
import {
  addMember,
  changeMember,
  findByExternalId,
  lockTeam,
  presentMember,
  reactivateMember,
  requireMember,
  type TeamEditor,
} from '../members/index.ts';
import { findOrganization } from '../organizations/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Answer } from '../platform/operations.ts';
import { type DepartureDeps, deactivateAndSettle } from './departure.ts';

const PATH = '/v1/members';

/** An integration with an API key. */
type Caller = Tenant & { readonly keyId: string };

/** The API's operations on members. */
export interface MemberService {
  retrieve(tenant: Tenant, id: string): Promise<Member>;
  create(caller: Caller, key: string, body: CreateMember): Promise<Answer>;
  update(caller: Caller, key: string, id: string, body: UpdateMember): Promise<Answer>;
  deactivate(caller: Caller, key: string, id: string, body: DeactivateMember): Promise<Answer>;
  reactivate(caller: Caller, key: string, id: string, body: unknown): Promise<Answer>;
}

/** The fields that differ, so that a repeated sync changes nothing. */
function differences(before: Row<'members'>, given: UpdateMember): Partial<Row<'members'>> {
  const entries = Object.entries(given).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof UpdateMember]),
  );
  return Object.fromEntries(entries);
}

/** Recorded intros show the member's face, so they are kept instead of reassigned. */
function toAction(choice: DeactivateMember['open_intros'], isRecorded: boolean): OpenIntroAction {
  if (choice === 'cancel') return { action: 'cancel' };
  if (typeof choice !== 'object' || isRecorded) return { action: 'leave' };
  return { action: 'reassign', to: choice.reassign_to };
}

export function createMemberService(
  deps: DepartureDeps & { readonly db: Database<Tables>; readonly clock: Clock },
): MemberService {
  const { db, clock, endAccess } = deps;

  /** Runs once per idempotency key. Changes to the team of an organization run one after the other. */
  function keyed(
    tenant: Tenant,
    request: { key: string; path: string; body: unknown },
    work: (tx: Transaction<Tables>, editor: TeamEditor) => Promise<Row<'members'>>,
  ): Promise<Answer> {
    return once(db, { tenant, method: 'POST', ...request }, async (tx) => {
      await lockTeam(tx, tenant);
      const organization = await findOrganization(tx, tenant.organizationId);
      const possibleLanes = organization === null ? [] : lanesOf(organization);
      const row = await work(tx, { tenant, memberId: null, role: 'integration', possibleLanes });
      return { objectId: row.id, body: JSON.stringify(presentMember(row)) };
    });
  }

  /** Members sign in with their email, so a new email ends the sessions that the old one started. */
  async function change(
    tx: Transaction<Tables>,
    editor: TeamEditor,
    before: Row<'members'>,
    given: UpdateMember,
  ): Promise<Row<'members'>> {
    const row = await changeMember(tx, editor, before.id, differences(before, given));
    if (row.email.toLowerCase() !== before.email.toLowerCase()) await endAccess(tx, editor.tenant, [row.id], clock());
    return row;
  }

  return {
    retrieve: async (tenant, id) => presentMember(await requireMember(db.kysely, tenant, id)),
    create: (caller, key, body) =>
      keyed(caller, { key, path: PATH, body }, async (tx, editor) => {
        const { external_id: externalId } = body;
        const existing = externalId === undefined ? null : await findByExternalId(tx, caller, externalId);
        return existing === null ? addMember(tx, clock, editor, body) : change(tx, editor, existing, body);
      }),
    update: (caller, key, id, body) =>
      keyed(caller, { key, path: `${PATH}/${id}`, body }, async (tx, editor) =>
        change(tx, editor, await requireMember(tx, caller, id), body),
      ),
    deactivate: (caller, key, id, body) =>
      keyed(caller, { key, path: `${PATH}/${id}/deactivate`, body }, async (tx, editor) => {
        const before = await requireMember(tx, caller, id);
        if (!before.active) return before;
        const { open_intros: choice } = body;
        const successors = typeof choice === 'object' ? [choice.reassign_to] : [];
        await deactivateAndSettle(deps, tx, editor, {
          id,
          by: caller.keyId,
          successors: new Map(successors.map((successor) => [successor, 'open_intros.reassign_to'])),
          actionFor: ({ isRecorded }) => toAction(choice, isRecorded),
          now: clock(),
        });
        return { ...before, active: false };
      }),
    reactivate: (caller, key, id, body) =>
      keyed(caller, { key, path: `${PATH}/${id}/reactivate`, body }, async (tx, editor) => {
        const before = await requireMember(tx, caller, id);
        if (before.active) return before;
        const row = await reactivateMember(tx, editor, id);
        // If the operator's command deactivated the member, the sessions still exist.
        await endAccess(tx, caller, [id], clock());
        return row;
      }),
  };
}
