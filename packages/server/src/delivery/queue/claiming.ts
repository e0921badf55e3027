import type { Transaction } from 'kysely';
import { readAppointment } from '../../intros/index.ts';
import type { Links } from '../../links/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import type { Logger } from '../../platform/log.ts';
import type { Channel, Tables } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import {
  changeMessages,
  type DueMessage,
  insertMessages,
  type MessageChange,
  type MessageRow,
  type NewMessage,
  takeDue,
} from '../store/messages.ts';
import { claimNumbers, releaseNumber } from '../store/texted-numbers.ts';
import { type Parcel, pack } from '../wording/compose.ts';
import type { Conclusions } from './outcomes.ts';
import { hoursOf, onChannel, planReminders, tenantOf } from './planning.ts';
import { channelsFor, judgeForMember, judgeForRecipient, type Verdict } from './rules.ts';

export interface ClaimDeps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly links: Links;
  readonly carriers: Carriers;
  readonly conclusions: Conclusions;
  readonly publicUrl: string;
  readonly log: Logger;
}

/** Work that is done outside of any transaction, on a claim that is committed. */
export interface Job {
  /** As the claim left it. */
  readonly row: MessageRow;
  readonly account: { readonly organizationId: string; readonly sealed: Buffer | null };
  /** Null: the carrier is asked whether it has the message. */
  readonly parcel: Parcel | null;
}

export interface Claimed {
  readonly taken: number;
  readonly jobs: readonly Job[];
  /** What was concluded already, for the figures. */
  readonly concluded: readonly MessageRow[];
}

interface Ready {
  readonly row: DueMessage;
  readonly channel: Channel;
  readonly address: string;
}

/** What one transaction decides, written together at its end. */
interface Plan {
  readonly steps: { row: DueMessage; change: Partial<MessageChange> }[];
  readonly jobs: Job[];
  readonly planned: NewMessage[];
  readonly now: Date;
}

const appointmentOf = (row: DueMessage) => readAppointment(row.context?.appointment ?? undefined);
const accountOf = (row: DueMessage) => ({ organizationId: row.organization_id, sealed: row.twilio_account });
/** Members are texted about any intro; a recipient once a day about one kind of moment. */
const touchpointOf = ({ audience, touchpoint_slug }: DueMessage): string =>
  audience === 'recipient' ? (touchpoint_slug ?? '') : '';

function judge(row: DueMessage, now: Date): Verdict {
  const intro = { status: row.intro_status, expiresAt: row.expires_at, createdAt: row.intro_created_at };
  const hours = hoursOf(row);
  if (row.audience === 'member') {
    const { member_active: isActive, has_take_under_way: hasTakeUnderWay, timezone } = row;
    // Those by hand are counted by themselves, and go to whoever is to record.
    const isForOther = row.purpose !== 'remind_by_hand' && row.round < row.link_generation;
    return judgeForMember(
      { intro, isReminder: row.purpose !== 'ask', isForOther, isActive, hasTakeUnderWay, timezone, hours },
      now,
    );
  }
  const appointment = appointmentOf(row);
  const timezone = appointment?.timezone ?? row.timezone;
  const { is_opted_out: isOptedOut, last_text_at: lastTextAt, last_text_open_until: lastTextOpenUntil } = row;
  return judgeForRecipient(
    { intro, isAgain: row.round > 0, appointment, timezone, hours, isOptedOut, lastTextAt, lastTextOpenUntil },
    now,
  );
}

/** By which way it goes, and what goes by another one as well. */
function choose(row: DueMessage, now: Date): { ready: Ready | null; others: NewMessage[] } {
  const { recipient_phone, member_phone, member_email } = row;
  if (row.audience === 'recipient') return { ready: { row, channel: 'text', address: recipient_phone }, others: [] };
  const canText = member_phone !== null && !row.is_opted_out;
  if (row.channel === 'text' && !canText) return { ready: null, others: [onChannel(row, 'email', now)] };
  const [channel, ...rest] = row.channel === null ? channelsFor(row.notify_by, canText) : [row.channel];
  const address = channel === 'text' && member_phone !== null ? member_phone : member_email;
  return { ready: { row, channel, address }, others: rest.map((other) => onChannel(row, other, now)) };
}

/** Of several texts of a touchpoint to one number the first goes; the others are looked at again in the next turn. */
async function grant(tx: Transaction<Tables>, ready: readonly Ready[], now: Date): Promise<Ready[]> {
  const first = new Map<string, Ready>();
  for (const one of ready.filter(({ channel }) => channel === 'text')) {
    const key = JSON.stringify([one.row.organization_id, one.row.environment, one.address, touchpointOf(one.row)]);
    if (!first.has(key)) first.set(key, one);
  }
  const claims = [...first.values()].map(({ row, address }) => ({
    organization_id: row.organization_id,
    environment: row.environment,
    phone: address,
    touchpoint: touchpointOf(row),
    message_id: row.id,
  }));
  const granted = await claimNumbers(tx, claims, now);
  return ready.filter(({ row, channel }) => channel === 'email' || touchpointOf(row) === '' || granted.has(row.id));
}

const underWay = (row: DueMessage, now: Date) => ({
  status: 'sending' as const,
  attempts: row.attempts + 1,
  claimed_at: now,
});

export interface Claiming {
  claim(limit: number): Promise<Claimed>;
  /** The first one that is due can be neither sent nor refused: it fails alone, and those behind it go on. */
  giveUpFirst(): Promise<void>;
}

export function createClaiming(deps: ClaimDeps): Claiming {
  const { db, clock, links, carriers, conclusions } = deps;

  async function refuse(tx: Transaction<Tables>, row: DueMessage, verdict: Verdict, plan: Plan): Promise<void> {
    const { steps, now } = plan;
    if (verdict.kind === 'send') return;
    if (verdict.kind === 'wait') {
      steps.push({ row, change: { due_at: verdict.until, held_for: verdict.heldFor, held_until: verdict.until } });
      return;
    }
    // It may hold the number from an earlier try that the carrier did not have when it was asked.
    await releaseNumber(tx, row);
    if (verdict.kind === 'fail') await conclusions.ofGivingUp(tx, row, verdict, now);
    const { code: error_code, message: error_message } = verdict;
    steps.push({ row, change: { status: 'dropped', error_code, error_message, settled_at: now } });
  }

  /** What may go now, by its way. */
  async function sort(tx: Transaction<Tables>, rows: readonly DueMessage[], plan: Plan): Promise<Ready[]> {
    const { steps, jobs, planned, now } = plan;
    const wanted: Ready[] = [];
    for (const row of rows) {
      if (row.in_doubt) {
        const change = underWay(row, now);
        steps.push({ row, change });
        jobs.push({ row: { ...row, ...change }, account: accountOf(row), parcel: null });
        continue;
      }
      const verdict = judge(row, now);
      await refuse(tx, row, verdict, plan);
      if (verdict.kind !== 'send') continue;
      const { ready, others } = choose(row, now);
      planned.push(...others);
      if (ready !== null) wanted.push(ready);
      else steps.push({ row, change: { status: 'dropped', error_code: 'cannot_text', settled_at: now } });
    }
    return grant(tx, wanted, now);
  }

  /** Whether the carrier is known to have it already. */
  async function dispatch(tx: Transaction<Tables>, ready: Ready, isFirst: boolean, plan: Plan): Promise<boolean> {
    const { row, channel, address } = ready;
    const { steps, jobs, planned, now } = plan;
    const appointment = appointmentOf(row);
    planned.push(...planReminders(row, appointment?.startsAt ?? null, now));
    const account = accountOf(row);
    const carrier = carriers.of(channel, account);
    const parcel = pack(deps, { row, channel, address, isFirst, appointment });
    const by_own_account = channel === 'text' && account.sealed !== null;
    const by = { channel, address, carrier: carrier.name, by_own_account };
    const claimed = { ...underWay(row, now), ...parcel.written, ...by };
    const claimedRow: MessageRow = { ...row, ...claimed };
    if (!carrier.isLocal) {
      steps.push({ row, change: claimed });
      jobs.push({ row: claimedRow, account, parcel });
      return false;
    }
    const outcome = await carriers.send(parcel, account);
    const change = { ...claimed, ...(await conclusions.ofSending(tx, claimedRow, outcome, now)) };
    steps.push({ row, change });
    return change.status === 'accepted' || change.status === 'delivered';
  }

  const claim: Claiming['claim'] = (limit) =>
    db.kysely.transaction().execute(async (tx) => {
      const plan: Plan = { steps: [], jobs: [], planned: [], now: clock() };
      const rows = await takeDue(tx, plan.now, limit);
      const granted = await sort(tx, rows, plan);
      const asked = granted.filter(({ row }) => row.audience === 'member');
      await links.giveRecord(
        tx,
        asked.map(({ row }) => ({ tenant: tenantOf(row), introId: row.intro_id, generation: row.link_generation })),
      );
      // Several first texts under way at once all say how to opt out: nobody knows which of them arrives.
      const greeted = new Set<string>();
      for (const ready of granted) {
        const number = `${ready.row.organization_id} ${ready.address}`;
        const isFirst = !ready.row.is_known_number && !greeted.has(number);
        if (await dispatch(tx, ready, isFirst, plan)) greeted.add(number);
      }
      if (!(await changeMessages(tx, plan.steps))) throw new Error('a message that was locked has changed');
      await insertMessages(tx, plan.planned);
      const concluded = plan.steps.map(({ row, change }) => ({ ...row, ...change }));
      return {
        taken: rows.length,
        jobs: plan.jobs,
        concluded: concluded.filter(({ status }) => status !== 'sending' && status !== 'scheduled'),
      };
    });

  return {
    claim,
    giveUpFirst: () =>
      db.kysely.transaction().execute(async (tx) => {
        const now = clock();
        const [row] = await takeDue(tx, now, 1);
        if (row === undefined) return;
        const code = 'carrier_refused';
        const failure = { code, message: 'This message could not be written. Look at its template.' } as const;
        if (row.audience === 'recipient') await conclusions.ofGivingUp(tx, row, failure, now);
        const change = { status: 'failed', error_code: code, error_message: failure.message, settled_at: now } as const;
        await changeMessages(tx, [{ row, change }]);
      }),
  };
}
