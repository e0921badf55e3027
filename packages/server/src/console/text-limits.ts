/** Text limits, pauses and the registration of the sender. */

import type { ConsoleTextLimits, ConsoleTextRegistration, TEXT_LIMITS_OPERATIONS } from '@foreword/contract';
import type { Tenant } from '../db/tenancy.ts';
import { readAccount, readAccountFaults, readTextLimits, resumeTexts, saveSettings } from '../delivery/index.ts';
import { findMember } from '../members/index.ts';
import { createCache } from '../platform/bounded-map.ts';
import { COUNTRIES } from '../platform/countries.ts';
import { invalid } from '../platform/errors.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ConsoleHandlers } from './operations.ts';

/** Each reading costs several requests to the carrier, and a review takes days. */
const REGISTRATION_MAX_AGE_MS = 60_000;

async function present(deps: ConsoleDeps, tenant: Tenant): Promise<ConsoleTextLimits> {
  const { db, clock } = deps;
  const [found, account] = await Promise.all([
    readTextLimits(db.kysely, tenant, clock()),
    readAccountFaults(deps, db.kysely, tenant, clock()),
  ]);
  const members = await Promise.all(
    found.busiestMembers.map(async ({ id, texts }) => ({ member: await findMember(db.kysely, tenant, id), texts })),
  );
  return {
    countries: found.countries,
    default_countries: found.defaultCountries,
    has_own_countries: found.hasOwnCountries,
    known_countries: COUNTRIES,
    forwards_replies: found.forwardsReplies,
    limits: found.limits,
    texts_today: found.textsToday,
    busiest_members: members.flatMap(({ member, texts }) =>
      member === null ? [] : [{ id: member.id, first_name: member.first_name, last_name: member.last_name, texts }],
    ),
    day_ends_at: found.dayEndsAt.toISOString(),
    paused: found.paused && { at: found.paused.at.toISOString(), reason: found.paused.reason },
    account: {
      faults: account.faults.map(({ fault, since, message, isHeld }) => ({
        ...{ fault, message },
        since: since.toISOString(),
        is_held: isHeld,
      })),
      held_texts: account.heldTexts,
      is_own: account.isOwn,
    },
  };
}

function requireCountries(countries: readonly string[]): string[] {
  const unknown = countries.find((country) => !COUNTRIES.includes(country));
  if (unknown !== undefined) throw invalid('countries', `must be country codes, such as US; ${unknown} is none`);
  return [...countries].sort();
}

export function createTextLimitsHandlers(
  deps: ConsoleDeps,
): Pick<ConsoleHandlers, keyof typeof TEXT_LIMITS_OPERATIONS> {
  const { db, clock, log, carriers } = deps;
  const registrations = createCache<ConsoleTextRegistration['registration']>(
    REGISTRATION_MAX_AGE_MS,
    (registration) => registration?.status !== 'unknown',
  );
  return {
    readTextLimits: (user) => present(deps, user.tenant),
    async readTextRegistration({ tenant }) {
      const sealed = await readAccount(db.kysely, tenant);
      const account = { organizationId: tenant.organizationId, sealed };
      const registration = await registrations.get(carriers.accountKeyOf(account), () =>
        carriers.readRegistration(account),
      );
      return { registration, is_own: sealed !== null };
    },
    async changeTextLimits({ tenant, memberId }, { body }) {
      const { countries, forwards_replies: forwardsReplies } = body;
      const change = {
        ...(countries !== undefined && { countries: countries === null ? null : requireCountries(countries) }),
        ...(forwardsReplies !== undefined && { forwards_replies: forwardsReplies }),
      };
      await db.kysely.transaction().execute((tx) => saveSettings(tx, tenant, change, clock()));
      log.info({ organization: tenant.organizationId, member: memberId, ...change }, 'text limits changed');
      return present(deps, tenant);
    },
    async resumeTexts({ tenant, memberId }) {
      await db.kysely.transaction().execute((tx) => resumeTexts(tx, tenant, clock()));
      log.info({ organization: tenant.organizationId, member: memberId }, 'texts resumed');
      return present(deps, tenant);
    },
  };
}
