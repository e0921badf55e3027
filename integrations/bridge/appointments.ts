import type { Bridge } from './context.ts';
import type { ForewordIntro } from './foreword.ts';
import { cancelPending, listIntros } from './intros.ts';
import { toInstant } from './payload.ts';
import type { Moment } from './recipe.ts';

const startOf = ({ context }: ForewordIntro): string | undefined => toInstant(context?.appointment?.starts_at);

/** `20300312T143000Z`: a key has no room for a second kind of colon. */
const compact = (instant: string): string => instant.replace(/[-:]|\.\d{3}/g, '');

/**
 * The last part of the idempotency key. For an appointment it is its start, so that a moved appointment is a new event. Cancels
 * the pending intros of its earlier times first: a process that dies in between repeats both.
 */
export async function chooseAppointmentPart(bridge: Bridge, moment: Moment): Promise<string | undefined> {
  const start = toInstant(moment.context?.appointment?.starts_at);
  if (start === undefined) return moment.part;
  const intros = await listIntros(bridge, moment.record);
  const ofTouchpoint = intros.filter(({ touchpoint }) => touchpoint === moment.touchpoint);
  // All intros of an appointment are about its time. A job may have one appointment for each touchpoint.
  const related = moment.record.type === 'appointment' ? intros : ofTouchpoint;
  const isOutdated = (intro: ForewordIntro) => startOf(intro) !== undefined && startOf(intro) !== start;
  await cancelPending(bridge, related.filter(isOutdated));
  const round = countRounds(ofTouchpoint.map(startOf).reverse(), start);
  const parts = [moment.part, compact(start) + (round > 1 ? `-${round}` : '')];
  return parts.filter((part) => part !== undefined).join('-');
}

/**
 * How often the appointment was moved to this time, including now. Moved from ten to eleven and back to ten, it needs another key
 * than the first time, because the first intro was cancelled.
 */
function countRounds(starts: readonly (string | undefined)[], start: string): number {
  const isArrival = (one: string | undefined, at: number) => one === start && starts[at - 1] !== start;
  const arrivals = starts.filter(isArrival).length;
  return starts.at(-1) === start ? arrivals : arrivals + 1;
}
