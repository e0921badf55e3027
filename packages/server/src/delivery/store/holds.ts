import { DAY_MS } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, columnsOf, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import { testTenant } from '../../organizations/index.ts';
import { type MessageRow, notifyMessagesDue } from './queue.ts';

/** The owners get at most one email about the same fault in this time. */
export const NOTICE_GAP_MS = DAY_MS;

export type HoldRow = Row<'carrier_holds'>;
type NoticeRow = Row<'carrier_notices'>;

/** Locks the holds of these accounts until the transaction ends, so that only one node sends a probe. */
export function lockHolds(tx: Tx, accounts: readonly string[]): Promise<HoldRow[]> {
  // Ordered, so that two batches cannot deadlock.
  const query = tx.selectFrom('carrier_holds').selectAll().where('account', 'in', accounts).orderBy('account');
  return accounts.length === 0 ? Promise.resolve([]) : query.forUpdate().execute();
}

/** Holds an account. One that is already held keeps its start and its next probe. */
export async function insertHold(
  tx: Tx,
  hold: Pick<HoldRow, 'account' | 'fault' | 'message' | 'is_reported' | 'started_at' | 'next_probe_at'>,
): Promise<HoldRow> {
  return tx
    .insertInto('carrier_holds')
    .values(hold)
    .onConflict((on) =>
      on.column('account').doUpdateSet((row) => ({
        fault: row.ref('excluded.fault'),
        message: row.ref('excluded.message'),
        is_reported: row.ref('excluded.is_reported'),
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function markProbe(
  tx: Tx,
  account: string,
  probe: { readonly row: MessageRow; readonly nextProbeAt: Date },
): Promise<void> {
  await tx
    .updateTable('carrier_holds')
    .set((row) => ({
      probes: row('probes', '+', 1),
      next_probe_at: probe.nextProbeAt,
      probe_organization_id: probe.row.organization_id,
      probe_message_id: probe.row.id,
    }))
    .where('account', '=', account)
    .execute();
}

/**
 * Makes the texts that wait for this account due. Skips texts that another transaction is claiming: it waits for the lock of the
 * hold, and then sees that there is none.
 */
async function wakeTexts(tx: Tx, account: string, now: Date): Promise<void> {
  await sql`
    with held as materialized (
      select organization_id, id from message_queue
      where claimed_at is null and held_for = 'carrier_account' and account = ${account}
      for update skip locked
    )
    update message_queue m set due_at = ${now} from held
    where m.organization_id = held.organization_id and m.id = held.id`.execute(tx);
  await notifyMessagesDue(tx);
}

/** The account works again: its texts are due, and the owners see no notice anymore. */
export async function endHold(tx: Tx, account: string, now: Date): Promise<void> {
  await tx.deleteFrom('carrier_holds').where('account', '=', account).execute();
  await acrossTenants(tx)
    .updateTable('carrier_notices')
    .set({ ended_at: now })
    .where('account', '=', account)
    .where('ended_at', 'is', null)
    .execute();
  await wakeTexts(tx, account, now);
}

/** A probe said nothing about the account, such as one to a number that does not exist: the next text is another one. */
export async function probeAgain(tx: Tx, row: MessageRow, now: Date): Promise<void> {
  if (row.account === null) return;
  const { numUpdatedRows } = await tx
    .updateTable('carrier_holds')
    .set({ next_probe_at: now })
    .where('account', '=', row.account)
    .where('probe_message_id', '=', row.id)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) await wakeTexts(tx, row.account, now);
}

/** The status of the text that was sent as a probe; null if none was. */
export async function findProbeStatus(tx: Tx, hold: HoldRow): Promise<MessageRow['status'] | null> {
  const { probe_organization_id: organizationId, probe_message_id: id } = hold;
  if (organizationId === null || id === null) return null;
  const own = forTenant(tx, testTenant(organizationId)).selectFrom('all_messages').select('status');
  return (await own.where('id', '=', id).executeTakeFirst())?.status ?? null;
}

/** Returns whether the owners have to be notified: not of the same fault since `since`, and at most once a day. */
export async function saveNotice(
  tx: Tx,
  tenant: Tenant,
  { fault, account, message, since }: { fault: string; account: string; message: string; since: Date },
  now: Date,
): Promise<boolean> {
  const own = forTenant(tx, tenant);
  const seen = { account, message, last_at: now, ended_at: null };
  const created = await own
    .insertInto('carrier_notices')
    .values({ ...columnsOf(tenant), fault, ...seen, started_at: since, notified_at: now })
    .onConflict((on) => on.columns(['organization_id', 'environment', 'fault']).doNothing())
    .executeTakeFirst();
  if (created.numInsertedOrUpdatedRows === 1n) return true;
  const known = await own
    .selectFrom('carrier_notices')
    .select(['notified_at', 'ended_at'])
    .where('fault', '=', fault)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const isDue = known.notified_at < since && now.getTime() - known.notified_at.getTime() >= NOTICE_GAP_MS;
  await own
    .updateTable('carrier_notices')
    .set({ ...seen, ...(known.ended_at !== null && { started_at: since }), ...(isDue && { notified_at: now }) })
    .where('fault', '=', fault)
    .execute();
  return isDue;
}

/** Faults of the account that hold texts, or that made texts fail since `failedSince`. */
export async function listNotices(
  db: Db,
  tenant: Tenant,
  { account, failedSince }: { account: string; failedSince: Date },
): Promise<(NoticeRow & { readonly is_held: boolean })[]> {
  const rows = await forTenant(db, tenant)
    .selectFrom('carrier_notices')
    .selectAll()
    .select(
      sql<boolean>`exists (select from carrier_holds h
        where h.account = carrier_notices.account and h.fault = carrier_notices.fault)`.as('is_held'),
    )
    .where('ended_at', 'is', null)
    .where('account', '=', account)
    .orderBy('started_at')
    .execute();
  return rows.filter(({ is_held: isHeld, last_at: lastAt }) => isHeld || lastAt > failedSince);
}

export async function countHeldTexts(db: Db, tenant: Tenant): Promise<number> {
  const { count } = await forTenant(db, tenant)
    .selectFrom('message_queue')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where(sql<boolean>`claimed_at is null and held_for = 'carrier_account'`)
    .executeTakeFirstOrThrow();
  return Number(count);
}
