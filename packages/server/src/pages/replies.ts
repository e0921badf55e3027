import type { Database, Tenant, Tx } from '../db/tenancy.ts';
import { notifyOfReply } from '../delivery/index.ts';
import {
  type IntroEvent,
  type IntroEvents,
  lockForViewing,
  markClicked,
  markOpened,
  markWatched,
  type NewReply,
  storeReply,
} from '../intros/index.ts';
import type { TestClocks } from '../testing/clock/index.ts';
import { type Beacon, pageStateOf } from './rules.ts';
import type { PageRow } from './store.ts';

function mark(tx: Tx, tenant: Tenant, introId: string, beacon: Beacon, now: Date): Promise<boolean> {
  if (beacon.what === 'opened') return markOpened(tx, tenant, introId, now);
  if (beacon.what === 'watched') return markWatched(tx, tenant, introId, beacon.percent, now);
  return markClicked(tx, tenant, introId, beacon.type, now);
}

function isNew(page: PageRow, beacon: Beacon): boolean {
  if (beacon.what === 'opened') return page.openedAt === null;
  if (beacon.what === 'watched') return beacon.percent > page.watchedPercent;
  return !Object.hasOwn(page.clickedTimes ?? {}, beacon.type);
}

/** Applies what a recipient did, and publishes what it changes. False if it was recorded before. */
export async function applyBeacon(
  { introEvents }: { introEvents: IntroEvents },
  tx: Tx,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  beacon: Beacon,
  now: Date,
): Promise<boolean> {
  const before = await lockForViewing(tx, tenant, introId);
  if (before === undefined || !(await mark(tx, tenant, introId, beacon, now))) return false;
  // One beacon can cause three events: watching or tapping implies opening, and opening implies that the integration sent the link.
  const after = await lockForViewing(tx, tenant, introId);
  const types: IntroEvent['type'][] = [
    ...(before.status !== 'sent' && after?.status === 'sent' ? (['intro.sent'] as const) : []),
    ...(before.opened_at === null ? (['intro.opened'] as const) : []),
    ...(before.watched_at === null && after?.watched_at != null ? (['intro.watched'] as const) : []),
    ...(beacon.what === 'clicked' ? (['intro.clicked'] as const) : []),
  ];
  await introEvents.publish(
    tx,
    types.map((type) => ({ tenant, introId, type })),
    now,
  );
  return true;
}

/** Records each step once per intro; a repeated beacon costs no write. */
export async function recordBeacon(
  deps: { db: Database; testClocks: TestClocks; introEvents: IntroEvents },
  page: PageRow,
  beacon: Beacon,
): Promise<void> {
  if (!isNew(page, beacon)) return;
  await deps.db.kysely.transaction().execute(async (tx) => {
    await applyBeacon(deps, tx, page, beacon, deps.testClocks.now(page.tenant));
  });
}

export interface ReplyDeps {
  readonly introEvents: IntroEvents;
}

/**
 * Applies a reply with its webhook and the notification of the member, all in the caller's transaction. `closed`: the page shows no
 * video (any more). Also marks the intro as opened: without JavaScript, the page reports nothing.
 */
export async function applyReply(
  deps: ReplyDeps,
  tx: Tx,
  page: { readonly tenant: Tenant; readonly introId: string },
  reply: NewReply,
  now: Date,
): Promise<'stored' | 'repeated' | 'too_many' | 'closed'> {
  const { tenant, introId } = page;
  const intro = await lockForViewing(tx, tenant, introId);
  if (intro === undefined || intro.taken_down_at !== null) return 'closed';
  if (pageStateOf({ status: intro.status, sentAt: intro.sent_at, isVideoRemoved: false }, now) !== 'open')
    return 'closed';
  await applyBeacon(deps, tx, page, { what: 'opened' }, now);
  const outcome = await storeReply(deps, tx, page, reply, now);
  if (typeof outcome !== 'number') return outcome;
  await notifyOfReply(tx, tenant, { introId, number: outcome }, now);
  return 'stored';
}
