import { type Bridge, TemporaryError } from './context.ts';
import type { ForewordIntro } from './foreword.ts';
import type { RecordReference } from './recipe.ts';

/** How long an event may take until its intro exists, when a later webhook moves the same appointment. */
const SETTLE_S = 3;
const PAGE = 100;

/** All intros of a record, newest first. Waits for events whose intro does not exist yet, so that none is missed. */
export async function listIntros(bridge: Bridge, record: RecordReference): Promise<ForewordIntro[]> {
  const { foreword, recipe } = bridge;
  for await (const { id } of foreword.events.list({ reference_id: record.id, status: 'accepted', limit: PAGE })) {
    // A failed event has no intro, which is fine here.
    const { status } = await foreword.events.retrieve(id, { wait: SETTLE_S });
    if (status === 'accepted') throw new TemporaryError('an earlier event is not processed yet');
  }
  const found: ForewordIntro[] = [];
  for await (const intro of foreword.intros.list({ reference_id: record.id, limit: PAGE })) {
    if (intro.reference?.source === recipe.source && intro.reference.type === record.type) found.push(intro);
  }
  return found;
}

/** Cancels those that were not sent yet. */
export async function cancelPending({ foreword, log }: Bridge, intros: readonly ForewordIntro[]): Promise<void> {
  for (const { id, status, reference } of intros) {
    if (status !== 'requested' && status !== 'ready') continue;
    await foreword.intros.cancel(id);
    log.info('cancelled an intro', { record: `${reference?.type}:${reference?.id}`, intro: id });
  }
}
