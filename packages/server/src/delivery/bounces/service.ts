/** Folder: reads reports of undeliverable emails and marks the address. */

import { DELIVERY_FAILURES } from '@foreword/contract';
import { markBounced } from '../../members/index.ts';
import { testTenant } from '../../organizations/index.ts';
import type { Database } from '../../platform/db.ts';
import { createdAtOf } from '../../platform/ids.ts';
import type { Tables } from '../../tables.ts';
import type { TestClocks } from '../../test-clock/index.ts';
import type { OutcomeHandler } from '../queue/outcomes.ts';
import { lockMessage } from '../store/messages.ts';
import { failOwnerEmail } from '../store/owner-emails.ts';
import type { BounceReport } from './report.ts';
import { isAddressWrong, toReason } from './rules.ts';
import type { MessageTokens } from './tokens.ts';

export interface Bounces {
  /** Applies a report once. False if this service did not send the email. */
  receive(report: BounceReport): Promise<boolean>;
}

const explain = ({ code, reason }: BounceReport): string => {
  const details = toReason(reason ?? code ?? '');
  return details === '' ? DELIVERY_FAILURES.undelivered : `The email bounced: ${details}`;
};

export function createBounces(deps: {
  db: Database<Tables>;
  testClocks: TestClocks;
  tokens: MessageTokens;
  outcomes: OutcomeHandler;
}): Bounces {
  const { db, testClocks, tokens, outcomes } = deps;
  return {
    async receive(report) {
      const email = tokens.find(report.tokens, report.addresses);
      if (email === null) return false;
      const tenant = testTenant(email.organizationId);
      const message = explain(report);
      await db.kysely.transaction().execute(async (tx) => {
        const now = testClocks.now(tenant);
        const row = await lockMessage(tx, tenant, email.id);
        const ownerEmailAt = row === null ? await failOwnerEmail(tx, tenant, email.id, message) : null;
        const sentAt = row?.accepted_at ?? ownerEmailAt ?? createdAtOf(email.id) ?? now;
        if (isAddressWrong({ code: report.code, text: report.reason }))
          await markBounced(tx, tenant, { address: email.address, reason: toReason(report.reason ?? ''), sentAt }, now);
        if (row?.status !== 'accepted' || row.channel !== 'email') return;
        const undelivered = { status: 'undelivered', code: 'undelivered', message } as const;
        await outcomes.change(tx, [{ row, change: await outcomes.afterReport(tx, row, undelivered, now) }], now);
      });
      return true;
    },
  };
}
