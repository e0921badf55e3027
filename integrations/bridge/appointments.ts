import type { Bridge } from './context.ts';
import type { ForewordIntro } from './foreword.ts';
import { cancelPending, listIntros } from './intros.ts';
import { toInstant } from './payload.ts';
import type { Moment } from './recipe.ts';

const startOf = ({ context }: ForewordIntro): string | undefined => toInstant(context?.appointment?.starts_at);

/** The part of an idempotency key that an appointment adds. */
interface AppointmentKey {
  readonly appointmentAt: string;
  readonly revision?: number;
}

/**
 * A moved appointment is a new event: its key has the start, and a number from the second time on that it is moved to the same
 * start. CRMs have a revision only of the whole record, which changes with every edit. Null: the newest intro is about this start.
 * Cancels the pending intros of its earlier times first: a process that dies in between repeats both.
 */
export async function chooseAppointmentKey(
  bridge: Bridge,
  moment: Moment,
): Promise<AppointmentKey | Record<string, never> | null> {
  const start = toInstant(moment.context?.appointment?.starts_at);
  if (start === undefined) return {};
  const intros = await listIntros(bridge, moment.record);
  const ofTouchpoint = intros.filter(({ touchpoint }) => touchpoint === moment.touchpoint);
  // All intros of an appointment are about its time. A job may have one appointment for each touchpoint.
  const related = moment.record.type === 'appointment' ? intros : ofTouchpoint;
  const isOutdated = (intro: ForewordIntro) => startOf(intro) !== undefined && startOf(intro) !== start;
  await cancelPending(bridge, related.filter(isOutdated));
  const starts = ofTouchpoint.map(startOf).reverse();
  if (moment.part === undefined && starts.at(-1) === start) return null;
  const earlier = starts.filter((one, at) => one === start && starts[at - 1] !== start).length;
  const revision = starts.at(-1) === start ? earlier : earlier + 1;
  return { appointmentAt: start, ...(revision > 1 && { revision }) };
}
