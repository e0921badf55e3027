import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { TestClocks } from '../../test-clock/index.ts';
import type { Report } from '../carriers/carrier.ts';
import type { OutcomeHandler } from '../queue/outcomes.ts';
import { lockMessage, type MessageRow } from '../store/messages.ts';

/** A status that a carrier reports by calling us. */
export interface StatusCall {
  readonly carrier: string;
  readonly carrierId: string | null;
  /** Null: the carrier has the message, and its outcome is open. */
  readonly report: Report | null;
}

/** Returns false if this carrier was not given the message. */
export type ReceiveStatus = (tenant: Tenant, messageId: string, call: StatusCall) => Promise<boolean>;

/** The call may arrive before our own commit, or settle a message in doubt, even one that a lookup did not find. */
const isUnsettled = (row: MessageRow): boolean =>
  row.status === 'sending' ||
  (row.status === 'scheduled' && row.attempts > 0) ||
  (row.status === 'failed' && row.error_code === 'unknown_outcome');

/** Calls arrive in any order: delivered overrides undelivered, which overrides accepted. */
const isProgress = (row: MessageRow, { status }: Report): boolean =>
  row.status === 'accepted' || (row.status === 'undelivered' && status === 'delivered');

/** Until a response brings an id, only the URL of the signed call identifies the message; any id is then one of its attempts. */
const isFromCarrierOf = (row: MessageRow, { carrier, carrierId }: StatusCall): boolean =>
  row.carrier === carrier && (row.carrier_id === null || carrierId === null || row.carrier_id === carrierId);

export function createStatusReceiver(deps: {
  db: Database<Tables>;
  testClocks: TestClocks;
  outcomes: OutcomeHandler;
}): ReceiveStatus {
  const { db, testClocks, outcomes } = deps;
  return (tenant, messageId, call) =>
    db.kysely.transaction().execute(async (tx) => {
      const row = await lockMessage(tx, tenant, messageId);
      if (row === null || !isFromCarrierOf(row, call)) return false;
      const now = testClocks.now(tenant);
      const { carrierId, report } = call;
      if (isUnsettled(row)) {
        const accepted = { kind: 'accepted', carrierId, report: report ?? undefined } as const;
        await outcomes.change(tx, [{ row, change: await outcomes.afterSend(tx, row, accepted, now) }], now);
      } else if (report !== null && isProgress(row, report)) {
        await outcomes.change(tx, [{ row, change: await outcomes.afterReport(tx, row, report, now) }], now);
      }
      return true;
    });
}
