import { CompiledQuery, type Transaction } from 'kysely';
import type { Links } from '../links/index.ts';
import type { Queryable } from '../platform/db.ts';
import { type ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN, newId } from '../platform/ids.ts';
import type { Tables, Tenant } from '../tables.ts';
import { MESSAGES_DUE } from './first-word.ts';
import type { IntroEvents } from './publishing.ts';
import { explainNotRequested, noSuchIntro } from './rules.ts';

export interface Reassignment {
  readonly introId: string;
  /** Who is to record from now on. */
  readonly memberId: string;
  /** The member who decided it. */
  readonly by: string;
}

/**
 * What the last member was still to be told is dropped, and what they are uploading is thrown away: their link is dead. A take
 * that arrived in full holds the move back until it is known what it became.
 */
const REASSIGN = `
with before as materialized (
  select i.organization_id, i.environment, i.id, i.member_id, i.member_opened_at
  from intros i
  where i.organization_id = $1 and i.environment = $2 and i.id = $3 and i.status = 'requested' and i.member_id <> $4
    and (i.expires_at is null or i.expires_at > $6)
    and exists (
      select from members m
      where m.organization_id = i.organization_id and m.environment = i.environment and m.id = $4 and m.active
    ) and not exists (
      select from recordings r
      where r.organization_id = i.organization_id and r.intro_id = i.id and r.status in ('uploaded', 'processing')
    )
  for update of i
), made as (
  update intros i
  set member_id = $4, link_generation = i.link_generation + 1, member_opened_at = null, version = i.version + 1
  from before b where i.organization_id = b.organization_id and i.id = b.id
  returning i.organization_id, i.environment, i.id, i.link_generation, b.member_id as from_member_id, b.member_opened_at
), noted as (
  insert into intro_reassignments (organization_id, environment, intro_id, generation, from_member_id, to_member_id,
    by_member_id, opened_at, created_at)
  select organization_id, environment, id, link_generation, from_member_id, $4, $5, member_opened_at, $6 from made
), discarded as (
  update recordings r set status = 'discarded', touched_at = $6, files_look_at = $6
  from made where r.organization_id = made.organization_id and r.intro_id = made.id and r.status = 'uploading'
), dropped as (
  update messages m
  set status = 'dropped', error_code = 'reassigned', error_message = 'Another member is to record it.', settled_at = $6
  from made
  where m.organization_id = made.organization_id and m.intro_id = made.id and m.audience = 'member' and m.status = 'scheduled'
), asked as (
  insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, status, due_at, created_at)
  select organization_id, environment, $7, id, 'member', 'ask', link_generation, 'scheduled', $6, $6 from made
), told as materialized (
  select pg_notify('${MESSAGES_DUE}', '') from made
)
select link_generation, (select count(*) from told) from made`;

const noSuchMember = () => invalid('member', 'must be an active member of this organization');

/** A take whose last piece is being written: REASSIGN would have looked at it before, and thrown nothing away. */
const HOLD = `
select r.id from intros i join recordings r on r.organization_id = i.organization_id and r.intro_id = i.id
where i.organization_id = $1 and i.environment = $2 and i.id = $3 and i.status = 'requested' and r.status = 'uploading'
for update of i, r`;

async function explain(tx: Transaction<Tables>, tenant: Tenant, wanted: Reassignment, now: Date): Promise<ApiError> {
  const { introId, memberId } = wanted;
  const row = await tx
    .selectFrom('intros as i')
    .leftJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').on('m.id', '=', memberId).on('m.active', '=', true),
    )
    .select(['i.status', 'i.expires_at', 'i.member_id', 'm.id as new_member_id'])
    .where('i.organization_id', '=', tenant.organizationId)
    .where('i.environment', '=', tenant.environment)
    .where('i.id', '=', introId)
    .executeTakeFirst();
  if (row === undefined) return noSuchIntro();
  if (row.new_member_id === null) return noSuchMember();
  if (row.member_id === memberId) return invalid('member', 'is the one who is to record it already');
  const isOver = row.expires_at !== null && row.expires_at <= now;
  return explainNotRequested(isOver && row.status === 'requested' ? 'expired' : row.status);
}

/**
 * Somebody else is to record an intro that nobody has recorded yet: they are asked, the link of whoever had it before opens
 * nothing any more, and webhooks tell of it. In the caller's transaction. Gives why it was not done; null when it was.
 */
export async function reassign(
  { links, introEvents }: { links: Links; introEvents: IntroEvents },
  tx: Transaction<Tables>,
  tenant: Tenant,
  wanted: Reassignment,
  now: Date,
): Promise<ApiError | null> {
  const { introId, memberId, by } = wanted;
  if (!ID_PATTERN.test(introId)) return noSuchIntro();
  if (!ID_PATTERN.test(memberId)) return noSuchMember();
  const values = [tenant.organizationId, tenant.environment, introId, memberId, by, now, newId('msg', now)];
  await tx.executeQuery(CompiledQuery.raw(HOLD, values.slice(0, 3)));
  const { rows } = await tx.executeQuery<{ link_generation: number }>(CompiledQuery.raw(REASSIGN, values));
  const [moved] = rows;
  if (moved === undefined) return explain(tx, tenant, wanted, now);
  await links.renewRecord(tx, { tenant, introId, generation: moved.link_generation });
  await introEvents.publish(tx, [{ tenant, introId, type: 'intro.reassigned' }], now);
  return null;
}

/** Who had it before whom, and who decided that; the oldest first. */
export const listReassignments = (db: Queryable<Tables>, tenant: Tenant, introId: string) =>
  db
    .selectFrom('intro_reassignments as r')
    .innerJoin('members as f', (on) =>
      on.onRef('f.organization_id', '=', 'r.organization_id').onRef('f.id', '=', 'r.from_member_id'),
    )
    .innerJoin('members as t', (on) =>
      on.onRef('t.organization_id', '=', 'r.organization_id').onRef('t.id', '=', 'r.to_member_id'),
    )
    .innerJoin('members as b', (on) =>
      on.onRef('b.organization_id', '=', 'r.organization_id').onRef('b.id', '=', 'r.by_member_id'),
    )
    .select(['r.created_at', 'f.id as from_id', 'f.first_name as from_first_name', 'f.last_name as from_last_name'])
    .select(['t.id as to_id', 't.first_name as to_first_name', 't.last_name as to_last_name'])
    .select(['b.id as by_id', 'b.first_name as by_first_name', 'b.last_name as by_last_name'])
    .where('r.organization_id', '=', tenant.organizationId)
    .where('r.environment', '=', tenant.environment)
    .where('r.intro_id', '=', introId)
    .orderBy('r.generation')
    .execute();
