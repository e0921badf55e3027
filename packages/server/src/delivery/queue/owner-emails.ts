import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { findOrganization } from '../../organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import type { Tables, Tenant, WebhookEndpointRow } from '../../tables.ts';
import type { Outcome } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/index.ts';
import {
  claimLetters,
  findOwners,
  insertLetters,
  type OwnerLetterRow,
  settleLetter,
  takeOverLetters,
} from '../store/owner-emails.ts';
import { renderLetter } from '../wording/email.ts';
import { type DisabledReason, writeDisabledEndpoint } from '../wording/owner-emails.ts';
import { writeLetterText } from '../wording/texts.ts';
import { ABANDONED_AFTER_MS, retryAt } from './rules.ts';

export { listOwnerLetters } from '../store/owner-emails.ts';

/** Such letters are rare, and none of them is urgent to the second. */
const LOOK_INTERVAL_MS = 5_000;
const BATCH = 16;
const STOP_WAIT_MS = 4_000;
const SENDER_NAME = 'Foreword';

/** Letters to the owners of an organization about its set-up. */
export interface OwnerLetters {
  /** In the transaction that turned the endpoint off. */
  tellDisabled(tx: Transaction<Tables>, endpoint: WebhookEndpointRow, reason: DisabledReason): Promise<void>;
  /** Everything that is due by the clock. */
  tick(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface OwnerLetterDeps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly carriers: Carriers;
  readonly log: Logger;
}

/**
 * What follows from an outcome. Unlike a word to a recipient, a warning is better said twice than never: in doubt it goes
 * again, with the Message-ID that it had, by which mail programs know the second.
 */
function conclude({ attempts }: OwnerLetterRow, outcome: Outcome, now: Date) {
  if (outcome.kind === 'accepted') return { status: 'accepted', error_message: null, settled_at: now } as const;
  const { message: error_message } = outcome;
  const next =
    outcome.kind === 'refused'
      ? null
      : retryAt(attempts, now, outcome.kind === 'later' ? outcome.retryAfterS : undefined);
  if (next === null) return { status: 'failed', error_message, settled_at: now } as const;
  return { status: 'scheduled', due_at: next, error_message } as const;
}

export function createOwnerLetters({ db, clock, carriers, log }: OwnerLetterDeps): OwnerLetters {
  async function send(row: OwnerLetterRow): Promise<void> {
    const { organization_id: organization, id, address: to, subject, body, attempts: attempt } = row;
    const account = { organizationId: organization, sealed: null };
    const [greeting = '', ...paragraphs] = body.trimEnd().split('\n\n');
    const letter = { subject, greeting, lines: paragraphs.slice(0, -1), organization: paragraphs.at(-1) ?? '' };
    const html = renderLetter(letter, null);
    const parcel = {
      channel: 'email',
      message: { id, to, attempt, fromName: SENDER_NAME, subject, text: body, html },
      written: { subject, body, segments: null },
    } as const;
    const { name: carrier } = carriers.of('email', account);
    try {
      const outcome = await carriers.send(parcel, account);
      await settleLetter(db.kysely, row, { carrier, ...conclude(row, outcome, clock()) });
      log.info({ organization, letter: id, carrier, attempt, outcome: outcome.kind }, 'letter to an owner');
    } catch (err) {
      // It is taken over when its claim has lapsed.
      log.error({ err, organization, letter: id }, 'letter to an owner broke off');
    }
  }

  async function tick(): Promise<void> {
    const now = clock();
    await takeOverLetters(db.kysely, now, new Date(now.getTime() - ABANDONED_AFTER_MS));
    await Promise.all((await claimLetters(db, now, BATCH)).map(send));
  }

  let stopLooking: () => Promise<void> = async () => undefined;
  return {
    async tellDisabled(tx, endpoint, reason) {
      const tenant: Tenant = { organizationId: endpoint.organization_id, environment: endpoint.environment };
      const { name: organization = '' } = (await findOrganization(tx, tenant.organizationId)) ?? {};
      const owners = await findOwners(tx, tenant);
      const now = clock();
      const letters = owners.map(({ first_name: ownerFirstName, email: address }) => {
        const letter = writeDisabledEndpoint({ endpoint, reason, organization, ownerFirstName });
        return { id: newId('msg', now), address, subject: letter.subject, body: writeLetterText(letter) };
      });
      await insertLetters(tx, tenant, letters, now);
      if (letters.length === 0) {
        log.warn({ organization: tenant.organizationId, endpoint: endpoint.id }, 'no owner to be told of it');
      }
    },
    tick,
    start() {
      const looking = every(LOOK_INTERVAL_MS, 'send letters to owners', log, tick);
      stopLooking = () => looking.stop();
    },
    async stop() {
      await Promise.race([stopLooking(), pause(STOP_WAIT_MS, undefined, { ref: false })]);
    },
  };
}
