import { chooseAppointmentKey } from './appointments.ts';
import { type Bridge, describeFailure, type Failure, TemporaryError } from './context.ts';
import type { EventBody, EventContext, MemberSelector } from './foreword.ts';
import { cancelPending, listIntros } from './intros.ts';
import { createMemory } from './memory.ts';
import type { Cancellation, Change, Moment, RecordReference } from './recipe.ts';

/** A 4xx means that the same request cannot succeed later. 401 and 403 end when an administrator replaces the key. */
const isRefusal = ({ status, code }: Failure): boolean =>
  // The SDK refused it without a request: an id that is too long for a key, for example.
  code === 'invalid_argument' ||
  (status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status));

const nameOf = ({ type, id }: RecordReference) => ({ record: `${type}:${id}` });

/** Performs one change. Throws a `TemporaryError` if it must be repeated; everything else is logged and settled. */
export async function perform(bridge: Bridge, change: Change): Promise<void> {
  const { log } = bridge;
  const record = nameOf(change.record);
  if (change.kind === 'ignored') return log.info('ignored', { ...record, reason: change.reason });
  try {
    if (change.kind === 'cancellation') await cancel(bridge, change);
    else await report(bridge, change);
  } catch (error) {
    if (error instanceof TemporaryError) throw error;
    const failure = describeFailure(error);
    if (isRefusal(failure)) return log.error('Foreword refused it', { ...record, ...failure });
    log.error('Foreword did not accept it; the CRM must send it again', { ...record, ...failure });
    throw new TemporaryError('Foreword did not accept it');
  }
}

async function cancel(bridge: Bridge, { record, touchpoints }: Cancellation): Promise<void> {
  const intros = await listIntros(bridge, record);
  const isConcerned = (slug: string | null) => touchpoints === undefined || touchpoints.includes(slug ?? '');
  await cancelPending(
    bridge,
    intros.filter(({ touchpoint }) => isConcerned(touchpoint)),
  );
}

async function report(bridge: Bridge, moment: Moment): Promise<void> {
  const { record, touchpoint, context, metadata } = moment;
  const { firstName, lastName, phones } = moment.recipient;
  const phone = choosePhone(bridge, phones);
  if (phone.number === undefined) return explain(bridge, moment, phone.problem);
  if (firstName === undefined) return explain(bridge, moment, 'the customer has no name');
  const appointmentKey = await chooseAppointmentKey(bridge, moment);
  if (appointmentKey === null) return bridge.log.info('already sent', { ...nameOf(record), touchpoint });
  const idempotencyKey = bridge.helpers.idempotencyKey({
    source: bridge.recipe.source,
    recordId: record.id,
    touchpoint,
    ...(moment.part !== undefined && { part: moment.part }),
    ...appointmentKey,
  });
  const body: Omit<EventBody, 'member'> = {
    touchpoint,
    occurred_at: moment.occurredAt,
    recipient: { first_name: firstName, ...(lastName !== undefined && { last_name: lastName }), phone: phone.number },
    reference: { source: bridge.recipe.source, type: record.type, id: record.id },
    ...(context !== undefined && { context: knownContext(context) }),
    ...(metadata !== undefined && { metadata }),
  };
  await sendForMember(bridge, moment, (member) =>
    bridge.foreword.events.create({ ...body, member }, { idempotencyKey }),
  );
}

const TRADES = ['roofing', 'siding', 'windows', 'doors', 'gutters'] as const;
const LANES = ['retail', 'insurance'] as const;

/** Without trades and lanes that Foreword would refuse: they only affect wording, and the moment matters more. */
function knownContext({ appointment, ...names }: EventContext): NonNullable<EventBody['context']> {
  const trade = TRADES.find((known) => known === names.trade?.toLowerCase());
  const lane = LANES.find((known) => known === names.lane?.toLowerCase());
  return {
    ...(appointment !== undefined && { appointment }),
    ...(trade !== undefined && { trade }),
    ...(lane !== undefined && { lane }),
  };
}

async function sendForMember(
  bridge: Bridge,
  moment: Moment,
  send: (member: MemberSelector) => Promise<{ readonly id: string; readonly status: string }>,
): Promise<void> {
  const fields = { ...nameOf(moment.record), touchpoint: moment.touchpoint };
  for (const member of moment.members) {
    try {
      const { id, status } = await send(member);
      return bridge.log.info(status === 'duplicate' ? 'already sent' : 'sent', { ...fields, event: id });
    } catch (error) {
      const { code } = describeFailure(error);
      // The record changed after the same moment was sent: another phone number, for example. The first event counts.
      if (code === 'idempotency_conflict') return bridge.log.info('already sent, with other details', fields);
      if (code !== 'member_not_found' && code !== 'member_ambiguous') throw error;
    }
  }
  await explain(bridge, moment, 'no team member in Foreword matches the person in charge');
}

/** The first number that is certain to be one. */
function choosePhone(
  { helpers, country }: Bridge,
  phones: readonly (string | undefined)[],
): { number: string } | { number: undefined; problem: string } {
  const present = phones.filter((phone) => phone !== undefined && phone.trim() !== '');
  for (const phone of present) {
    try {
      return { number: helpers.toE164(phone ?? '', country) };
    } catch {
      // The next one may be usable.
    }
  }
  const problem =
    present.length === 0 ? 'the phone number is missing' : 'the phone number is not valid or is ambiguous';
  return { number: undefined, problem };
}

/** Notes that this process wrote, for CRMs whose API cannot tell whether a note exists. */
const explained = createMemory(10_000);

/** Logs why no intro is requested, and tells the CRM's users if its API has notes. Sending it again would not help. */
async function explain({ recipe, log }: Bridge, { record, touchpoint }: Moment, problem: string): Promise<void> {
  log.warn('not sent', { ...nameOf(record), touchpoint, reason: problem });
  const identity = JSON.stringify([record, touchpoint, problem]);
  if (explained.has(identity)) return;
  explained.add(identity);
  const text = `Foreword did not request a video for "${touchpoint}": ${problem}. Correct it, then change the record again.`;
  await recipe.writeNote?.(record, text).catch((error: unknown) => {
    log.warn('the note could not be written', { ...nameOf(record), ...describeFailure(error) });
  });
}
