import { type Config, keySource } from '../../app/config/index.ts';
import { withSharedDatabase } from '../../app/database.ts';
import { shownSettings } from '../../app/shown-settings.ts';
import { hasData } from '../../db/embedded-postgres/index.ts';
import { readKeyring } from '../../db/keyring.ts';
import { withOneConnection } from '../../db/pools.ts';
import type { Database, Db } from '../../db/tenancy.ts';
import { type Carriers, listAccounts, type OwnAccount, openCarriers } from '../../delivery/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { createSeal, randomSecret, type Seal, sealWith } from '../../platform/seal.ts';
import { ServerKeyError } from '../../platform/server-key.ts';
import { SEAL_PURPOSE } from '../../webhooks/index.ts';
import { listRealOrganizations, NAME } from './database.ts';
import { type Finding, note, ok, problem, warning } from './finding.ts';

const SEAL_KEY_BYTES = 32;
/** Accounts checked at the same time. */
const MAX_CONCURRENT = 8;

/** The account of the service. */
const SHARED = { organizationId: '', sealed: null } as const;
const TEXTS = 'text messages';
const EMAILS = 'emails';
const FALLBACK_TEXTS = 'text messages (fallback)';
const GUIDE = 'docs/self-hosting/registration.md has the texts to use.';

const NEXT: Readonly<Record<string, string>> = {
  [TEXTS]: 'Set SMS_CARRIER to twilio, telnyx or http, with its settings. Until then, no texts are sent.',
  [EMAILS]: 'Set SMTP_URL and MAIL_FROM. Until then, no emails are sent.',
};
const FIX = 'Fix the account. Pending messages are sent once it works.';
const TRY_AGAIN = 'Check the address and the network. Pending messages are retried.';

async function checkShared(carriers: Carriers, needsTexts: boolean): Promise<Finding[]> {
  const { text, textFallback, email } = await carriers.check();
  const checked = [
    { name: TEXTS, state: text },
    ...(textFallback === undefined ? [] : [{ name: FALLBACK_TEXTS, state: textFallback }]),
    { name: EMAILS, state: email },
  ];
  return checked.map(({ name, state: { status, message } }) => {
    if (status === 'ok') return ok(name, message);
    if (status === 'unset') return (name === TEXTS && needsTexts ? problem : note)(name, message, NEXT[name] ?? FIX);
    return status === 'refused' ? problem(name, message, FIX) : warning(name, message, TRY_AGAIN);
  });
}

interface Stored {
  readonly accounts: readonly OwnAccount[];
  /** IDs, without the demo. */
  readonly realOrganizations: readonly string[];
  readonly seal: Seal;
}

/** Opens nothing. */
const newSeal = (): Seal => createSeal(randomSecret(SEAL_KEY_BYTES));

/** Uses the service's key, without creating one: the doctor changes nothing. */
async function openSeal(db: Db, config: Config): Promise<Seal> {
  const key = await readKeyring(db, keySource(config)).catch((error: unknown) => {
    if (error instanceof ServerKeyError) return null;
    throw error;
  });
  return key === null ? newSeal() : sealWith(key, SEAL_PURPOSE);
}

/** Empty when there is no readable database yet, which another check reports. */
async function readStored(config: Config): Promise<Stored> {
  const { dataDir, databaseUrl } = config;
  const none = { accounts: [], realOrganizations: [], seal: newSeal() };
  if (databaseUrl === undefined && !hasData(dataDir)) return none;
  try {
    return await withSharedDatabase(config, ({ connection }) =>
      withOneConnection(connection, NAME, async ({ kysely }: Database) => ({
        accounts: await listAccounts(kysely),
        realOrganizations: await listRealOrganizations(kysely),
        seal: await openSeal(kysely, config),
      })),
    );
  } catch {
    return none;
  }
}

/** Null if the sender is registered, or needs no registration. */
async function checkRegistration(
  carriers: Carriers,
  account: Parameters<Carriers['readRegistration']>[0],
  name: string,
  message: string,
): Promise<Finding | null> {
  const registration = await carriers.readRegistration(account);
  if (registration === null || registration.next === null) return null;
  const { status, next } = registration;
  const report = status === 'missing' || status === 'rejected' ? problem : warning;
  const help = status === 'missing' ? `${next} ${GUIDE}` : next;
  return report(name, `${message} ${registration.message}`, help);
}

async function checkOwn(carriers: Carriers, account: OwnAccount): Promise<Finding> {
  const { organizationId, name: organization } = account;
  const name = `text messages of ${organization}`;
  try {
    carriers.twilioOf(account);
  } catch {
    const next = 'Run this command with the SERVER_KEY or DATA_DIR of the service, or set the account again.';
    return problem(name, `The account of ${organizationId} does not open with this server key.`, next);
  }
  const { status, message } = await carriers.checkTexts(account);
  if (status === 'ok') return (await checkRegistration(carriers, account, name, message)) ?? ok(name, message);
  const details = `${message} This is the own account of ${organizationId}.`;
  const fix = `${FIX} Run: foreword delivery set --org ${organizationId} --twilio-account-sid ….`;
  return status === 'refused' ? problem(name, details, fix) : warning(name, details, TRY_AGAIN);
}

/** Checks the service's accounts with each carrier, and those of organizations with their own. Sends nothing. */
export async function checkCarriers(
  config: Config,
  { SMS_CARRIER: inUse }: Readonly<Record<string, unknown>> = shownSettings(config),
): Promise<Finding[]> {
  const { accounts, realOrganizations, seal } = await readStored(config);
  const needsTexts = realOrganizations.some((id) => !accounts.some(({ organizationId }) => organizationId === id));
  const carriers = openCarriers(config.carriers, { seal, clock: systemClock });
  // The carrier of the running service cannot be checked without its settings, but it has one.
  const shared = await checkShared(carriers, needsTexts && inUse === 'log');
  const findings = await Promise.all(
    shared.map(async (finding) => {
      const { name, status, message } = finding;
      if (status !== 'ok' || (name !== TEXTS && name !== FALLBACK_TEXTS)) return finding;
      const account = { ...SHARED, usesFallback: name === FALLBACK_TEXTS };
      return (await checkRegistration(carriers, account, name, message)) ?? finding;
    }),
  );
  for (let at = 0; at < accounts.length; at += MAX_CONCURRENT) {
    const some = accounts.slice(at, at + MAX_CONCURRENT);
    findings.push(...(await Promise.all(some.map((account) => checkOwn(carriers, account)))));
  }
  return findings;
}
