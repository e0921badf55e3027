import type { Services } from '../../app/services.ts';
import { isDeadlock, isTransient } from '../../db/pools.ts';
import { type Tx, tenantOf } from '../../db/tenancy.ts';
import { Batcher } from '../../platform/batcher.ts';
import { isTestTime } from '../../platform/clock.ts';
import { endSpan, type SpanResult, traceIdOf, withSpan } from '../../platform/tracing.ts';
import { listOtherCarrierIds } from '../store/messages.ts';
import { lockClaimed, type MessageChange, type MessageRow } from '../store/queue.ts';
import { bodyOf } from '../wording/texts.ts';
import type { ClaimDeps, ClaimedMessage } from './claim.ts';
import type { RowChange } from './record.ts';

/** Messages that may be in flight to carriers at the same time. */
export const MAX_IN_FLIGHT = 64;

export type HandOverDeps = ClaimDeps & Pick<Services, 'metrics' | 'traces' | 'testClocks'>;

type ApplyOutcome = (tx: Tx, now: Date) => Promise<Partial<MessageChange>>;

async function callCarrier(
  { db, links, carriers, outcomes }: HandOverDeps,
  { row, account, message }: ClaimedMessage,
): Promise<ApplyOutcome> {
  if (message === null) {
    const result = await carriers.lookUp(
      { ...row, body: bodyOf(links, row) },
      account,
      await listOtherCarrierIds(db.kysely, row),
    );
    return (tx, now) => outcomes.afterLookup(tx, row, result, now);
  }
  const outcome = await carriers.send(message, account);
  return (tx, now) => outcomes.afterSend(tx, row, outcome, now);
}

/** A message that its carrier has answered about. */
interface Answered {
  readonly row: MessageRow;
  readonly applyOutcome: ApplyOutcome;
}

/** Another worker claimed the message, or the carrier reported its status first. */
const LOST = 'lost';

/** Commits outcomes with their consequences. Nothing follows from the outcome of a claim that is lost. */
const settleAll = (deps: HandOverDeps, answered: readonly Answered[]): Promise<(MessageRow | typeof LOST)[]> =>
  deps.db.kysely.transaction().execute(async (tx) => {
    // Every transaction locks messages before their intros: the carrier may report on one of them at this moment.
    const rows = answered.map(({ row }) => row);
    const claimed = await lockClaimed(tx, rows);
    const changes: RowChange[] = [];
    for (const { row, applyOutcome } of answered.filter((one) => claimed.has(one.row.id))) {
      const at = deps.testClocks.now(tenantOf(row));
      changes.push({ row, change: await applyOutcome(tx, at), at });
    }
    if (!(await deps.outcomes.change(tx, changes, deps.clock()))) throw new Error('a locked message changed');
    const settled = new Map(changes.map(({ row, change }) => [row.id, { ...row, ...change }]));
    return rows.map(({ id }) => settled.get(id) ?? LOST);
  });

/** An outcome that arrives alone is stored at once. The others wait for the transaction in progress, and share the next one. */
export const createSettling = (deps: HandOverDeps): Batcher<Answered, MessageRow | typeof LOST> =>
  new Batcher({
    name: 'outcomes',
    maxSize: MAX_IN_FLIGHT,
    maxConcurrent: 1,
    flush: (answered) => settleAll(deps, answered),
    isTransient: (error) => isTransient(error) && !isDeadlock(error),
    sizes: deps.metrics.flushSize,
  });

/** `settled` is null if the outcome could not be stored. */
function describe(row: MessageRow, settled: MessageRow | null): SpanResult {
  const { id, intro_id, purpose, attempts } = row;
  const attributes = { 'foreword.message.id': id, 'foreword.intro.id': intro_id, purpose, attempts };
  if (settled === null) return { attributes, error: 'not settled' };
  const { status: outcome, carrier, error_code } = settled;
  return {
    attributes: { ...attributes, outcome, carrier, 'error.type': error_code },
    error: outcome === 'failed' ? error_code : null,
  };
}

export const count = ({ metrics }: HandOverDeps, row: MessageRow) =>
  metrics.messages.inc({ channel: row.channel ?? 'none', outcome: row.status });

/** How long a text waited for its carrier. Times of a test clock mean nothing here. */
function observeHandover({ metrics, clock, testClocks }: HandOverDeps, before: MessageRow, settled: MessageRow): void {
  const isAccepted = settled.status === 'accepted' || settled.status === 'delivered';
  if (before.channel !== 'text' || !isAccepted || isTestTime(testClocks.now(tenantOf(before)))) return;
  metrics.textHandover.observe(Math.max(0, clock().getTime() - before.due_at.getTime()) / 1_000);
}

export type Settling = ReturnType<typeof createSettling>;

export async function send(deps: HandOverDeps, settling: Settling, claimed: ClaimedMessage): Promise<void> {
  const { log } = deps;
  const { id: message, organization_id: organization, channel, purpose, attempts: attempt } = claimed.row;
  const lookup = claimed.message === null;
  const key = { tenant: tenantOf(claimed.row), id: claimed.row.intro_id };
  const name = `${lookup ? 'look up' : 'send'} ${channel ?? 'message'}`;
  const span = await deps.traces.startFor(deps.db.pool, key, name, 'client');
  const line = { message, organization, channel, purpose, attempt, lookup, ...traceIdOf(span) };
  let settled: MessageRow | null = null;
  try {
    const outcome = await withSpan(span, async () =>
      settling.add({ row: claimed.row, applyOutcome: await callCarrier(deps, claimed) }),
    );
    if (outcome === LOST) return;
    settled = outcome;
    const { status, carrier, error_code: error } = settled;
    count(deps, settled);
    observeHandover(deps, claimed.row, settled);
    log.info({ ...line, carrier, outcome: status, ...(error !== null && { error }) }, 'message');
  } catch (err) {
    // The row stays claimed until the claim is abandoned, and is then in doubt.
    log[isTransient(err) ? 'warn' : 'error']({ ...line, err }, 'message not settled; its carrier will be queried');
  } finally {
    endSpan(span, describe(claimed.row, settled));
  }
}
