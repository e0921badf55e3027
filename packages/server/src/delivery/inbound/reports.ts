import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { Report } from '../carriers/carrier.ts';
import type { Conclusions } from '../queue/outcomes.ts';
import { changeMessages, lockMessage, type MessageRow } from '../store/messages.ts';

/** What a carrier tells of its own accord. */
export interface Told {
  readonly carrier: string;
  readonly carrierId: string | null;
  /** Null: it has the message, and that is all. */
  readonly report: Report | null;
}

/**
 * A word of the carrier may come before our own commit, or settle what we could not find out. It has what waits to be sent
 * again, though it may have said otherwise when it was asked.
 */
const isUnsettled = (row: MessageRow): boolean =>
  row.status === 'sending' ||
  (row.status === 'scheduled' && row.attempts > 0) ||
  (row.status === 'failed' && row.error_code === 'unknown_outcome');

/** The order of words says nothing: delivered beats undelivered beats accepted, and nothing goes back. */
const isNews = (row: MessageRow, { status }: Report): boolean =>
  row.status === 'accepted' || (row.status === 'undelivered' && status === 'delivered');

/**
 * As long as no answer has brought an id, the address of the call alone says which message it is. Only the carrier that was
 * handed this message has learned it, and any id that comes there is one of its attempts.
 */
const isOf = (row: MessageRow, { carrier, carrierId }: Told): boolean =>
  row.carrier === carrier && (row.carrier_id === null || carrierId === null || row.carrier_id === carrierId);

/** False when the message is not one that this carrier had from us. */
export function createReporting(deps: {
  db: Database<Tables>;
  clock: Clock;
  conclusions: Conclusions;
}): (tenant: Tenant, messageId: string, told: Told) => Promise<boolean> {
  return (tenant, messageId, told) =>
    deps.db.kysely.transaction().execute(async (tx) => {
      const row = await lockMessage(tx, tenant, messageId);
      if (row === null || !isOf(row, told)) return false;
      const now = deps.clock();
      const { carrierId, report } = told;
      if (isUnsettled(row)) {
        const accepted = { kind: 'accepted', carrierId, report: report ?? undefined } as const;
        await changeMessages(tx, [{ row, change: await deps.conclusions.ofSending(tx, row, accepted, now) }]);
      } else if (report !== null && isNews(row, report)) {
        await changeMessages(tx, [{ row, change: await deps.conclusions.ofReport(tx, row, report, now) }]);
      }
      return true;
    });
}
