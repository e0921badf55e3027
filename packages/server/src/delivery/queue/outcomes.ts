import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { moveToSentByService, setDeliveryError } from '../../intros/index.ts';
import type { Tables } from '../../tables.ts';
import type { Finding, Outcome, Report } from '../carriers/carrier.ts';
import { optOut } from '../consent/opt-outs.ts';
import type { Announce } from '../news.ts';
import { insertMessages, type MessageChange, type MessageRow } from '../store/messages.ts';
import { releaseNumber } from '../store/texted-numbers.ts';
import { onChannel, tenantOf } from './planning.ts';
import { retryAt } from './rules.ts';

type Change = Partial<MessageChange>;

interface Failure {
  readonly code: DeliveryFailureCode;
  readonly message: string;
}

/** What follows from what a carrier said, in the transaction that writes it down: for the intro, the number, and others. */
export interface Conclusions {
  /** `row` as it is under way: its attempts count the one that is concluded. */
  ofSending(tx: Transaction<Tables>, row: MessageRow, outcome: Outcome, now: Date): Promise<Change>;
  ofLooking(tx: Transaction<Tables>, row: MessageRow, finding: Finding, now: Date): Promise<Change>;
  ofReport(tx: Transaction<Tables>, row: MessageRow, report: Report, now: Date): Promise<Change>;
  /** Of a text that is not even tried. */
  ofGivingUp(tx: Transaction<Tables>, row: MessageRow, failure: Failure, now: Date): Promise<void>;
}

const unknownOutcome = { code: 'unknown_outcome', message: DELIVERY_FAILURES.unknown_outcome } as const;

export function createConclusions(announce: Announce): Conclusions {
  async function tellIntro(tx: Transaction<Tables>, row: MessageRow, failure: Failure, now: Date): Promise<void> {
    const tenant = tenantOf(row);
    if (row.purpose === 'deliver' && (await setDeliveryError(tx, tenant, row.intro_id, failure))) {
      await announce(tx, [{ type: 'intro.delivery_failed', tenant, introId: row.intro_id }], now);
    }
  }

  /** The carrier knows of a STOP that we have not heard. */
  async function heedOptOut(tx: Transaction<Tables>, row: MessageRow, code: string | null, now: Date): Promise<void> {
    if (code !== 'recipient_opted_out' || row.address === null || row.channel !== 'text') return;
    await optOut(announce, tx, tenantOf(row), { phone: row.address, source: 'carrier' }, now);
  }

  /** A member is told in any case, and at once: what does not go as a text goes as an e-mail. */
  async function tellByMail(tx: Transaction<Tables>, row: MessageRow, now: Date): Promise<void> {
    if (row.audience === 'member' && row.channel === 'text') await insertMessages(tx, [onChannel(row, 'email', now)]);
  }

  async function fail(tx: Transaction<Tables>, row: MessageRow, failure: Failure, now: Date): Promise<Change> {
    await tellIntro(tx, row, failure, now);
    await heedOptOut(tx, row, failure.code, now);
    await tellByMail(tx, row, now);
    if (failure.code !== 'unknown_outcome') await releaseNumber(tx, row);
    const { code: error_code, message: error_message } = failure;
    return { status: 'failed', in_doubt: false, error_code, error_message, settled_at: now };
  }

  async function retry(
    tx: Transaction<Tables>,
    row: MessageRow,
    fault: { message: string; retryAfterS?: number | undefined; inDoubt: boolean },
    now: Date,
  ): Promise<Change> {
    const next = retryAt(row.attempts, now, fault.retryAfterS);
    if (next === null) {
      if (fault.inDoubt) return fail(tx, row, unknownOutcome, now);
      const message = `${DELIVERY_FAILURES.carrier_unavailable} (${fault.message})`;
      return fail(tx, row, { code: 'carrier_unavailable', message }, now);
    }
    const { inDoubt: in_doubt, message: error_message } = fault;
    // Its intro may be cancelled while it waits, and another text have no time to.
    if (!in_doubt) await releaseNumber(tx, row);
    return { status: 'scheduled', due_at: next, in_doubt, error_code: null, error_message };
  }

  async function report(tx: Transaction<Tables>, row: MessageRow, told: Report, now: Date): Promise<Change> {
    const { status, code: error_code, message: error_message } = told;
    if (status === 'undelivered') {
      const failure = { code: error_code ?? 'undelivered', message: error_message ?? DELIVERY_FAILURES.undelivered };
      await tellIntro(tx, row, failure, now);
      await heedOptOut(tx, row, error_code, now);
      await tellByMail(tx, row, now);
    } else if (row.purpose === 'deliver') {
      await setDeliveryError(tx, tenantOf(row), row.intro_id, null);
    }
    return { status, error_code, error_message, settled_at: now };
  }

  async function accept(
    tx: Transaction<Tables>,
    row: MessageRow,
    taken: { carrierId: string | null; report?: Report | undefined },
    now: Date,
  ): Promise<Change> {
    const tenant = tenantOf(row);
    if (row.purpose === 'deliver' && (await moveToSentByService(tx, tenant, row.intro_id, now))) {
      await announce(tx, [{ type: 'intro.sent', tenant, introId: row.intro_id }], now);
    }
    const accepted: Change = {
      status: 'accepted',
      in_doubt: false,
      carrier_id: taken.carrierId,
      accepted_at: now,
      error_code: null,
      error_message: null,
      settled_at: null,
    };
    return taken.report === undefined ? accepted : { ...accepted, ...(await report(tx, row, taken.report, now)) };
  }

  return {
    async ofSending(tx, row, outcome, now) {
      switch (outcome.kind) {
        case 'accepted':
          return accept(tx, row, outcome, now);
        case 'refused':
          return fail(tx, row, outcome, now);
        case 'doubt':
          return retry(tx, row, { ...outcome, inDoubt: true }, now);
        case 'unusable':
          // Nobody knows when the account is mended. A text that still goes then finds the intro recorded, or reminds.
          await tellByMail(tx, row, now);
          return retry(tx, row, { ...outcome, inDoubt: false }, now);
        default:
          return retry(tx, row, { ...outcome, inDoubt: false }, now);
      }
    },
    async ofLooking(tx, row, finding, now) {
      switch (finding.kind) {
        case 'accepted':
          return accept(tx, row, finding, now);
        case 'absent':
          // It goes the usual way again, past all that may forbid it by now. It keeps its number: the carrier may tell of it yet.
          return { status: 'scheduled', in_doubt: false, due_at: now };
        case 'later':
          return retry(tx, row, { ...finding, inDoubt: true }, now);
        default:
          return fail(tx, row, unknownOutcome, now);
      }
    },
    ofReport: report,
    async ofGivingUp(tx, row, failure, now) {
      await tellIntro(tx, row, failure, now);
    },
  };
}
