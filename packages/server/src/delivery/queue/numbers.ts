import type { Transaction } from 'kysely';
import { isTestTime } from '../../platform/clock.ts';
import type { Channel, Tables } from '../../tables.ts';
import type { Route } from '../carriers/carrier.ts';
import type { DueMessage } from '../store/due.ts';
import { claimNumbers } from '../store/numbers.ts';

/** A message with its channel and where it goes. */
export interface Sendable {
  readonly row: DueMessage;
  readonly channel: Channel;
  readonly address: string;
  readonly route: Route;
}

/** The account that sends a message. */
export const accountOf = (row: DueMessage) => ({
  organizationId: row.organization_id,
  sealed: row.twilio_account,
  usesFallback: row.uses_fallback,
});

/** Only texts with a link to recipients are limited to one per touchpoint and day; members get one for each intro. */
const touchpointOf = ({ audience, purpose, touchpoint_slug }: DueMessage): string =>
  audience === 'recipient' && purpose !== 'answer' ? (touchpoint_slug ?? '') : '';

export const isPhoneTexted = ({ channel, route }: Sendable): boolean => channel === 'text' && route === 'provider';

/** Whether the daily limits count this text. On a test clock they count every text, for the days of that clock. */
export const isCounted = (one: Sendable, now: Date): boolean =>
  isPhoneTexted(one) || (isTestTime(now) && one.channel === 'text');

/**
 * Whether this text delays others to its number. On a test clock, only those to test numbers do: no other text is sent, and the
 * time of the last real one must survive.
 */
const claimsNumber = (one: Sendable, now: Date): boolean =>
  isTestTime(now) ? one.channel === 'text' && one.route === 'simulation' : isPhoneTexted(one);

/** Sends only the first of several texts of a touchpoint to one number; the others stay scheduled. */
export async function claimFreeNumbers(
  tx: Transaction<Tables>,
  sendable: readonly Sendable[],
  now: Date,
): Promise<Sendable[]> {
  const first = new Map<string, Sendable>();
  for (const one of sendable.filter((text) => claimsNumber(text, now))) {
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
  const free = await claimNumbers(tx, claims, now);
  return sendable.filter((one) => !claimsNumber(one, now) || touchpointOf(one.row) === '' || free.has(one.row.id));
}
