import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { openSharedDatabase } from '../../database.ts';
import { type Carriers, listAccounts, type OwnAccount, openCarriers } from '../../delivery/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/db.ts';
import { clusterIn, isInitialized } from '../../platform/embedded-postgres/cluster.ts';
import { createSeal, randomSecret, type Seal } from '../../platform/seal.ts';
import { openServerKey } from '../../platform/server-key.ts';
import type { Tables } from '../../tables.ts';
import { SEAL_PURPOSE } from '../../webhooks/index.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const SEAL_KEY_BYTES = 32;
/** Accounts checked at the same time. */
const MAX_CONCURRENT = 8;

const NEXT = {
  'text messages': 'Set SMS_CARRIER to twilio or http, with its settings. Until then, no texts are sent.',
  'e-mail': 'Set SMTP_URL and MAIL_FROM. Until then, no emails are sent.',
} as const;
const FIX = 'Fix the account. Pending messages are sent once it works.';
const TRY_AGAIN = 'Check the address and the network. Pending messages are retried.';

async function checkShared(carriers: Carriers): Promise<Finding[]> {
  const { text, email } = await carriers.check();
  return (
    [
      ['text messages', text],
      ['e-mail', email],
    ] as const
  ).map(([name, { status, message }]) => {
    if (status === 'ok') return ok(name, message);
    // Not a problem: this is the default setup.
    if (status === 'unset') return ok(name, `${message} ${NEXT[name]}`);
    return status === 'refused' ? problem(name, message, FIX) : warning(name, message, TRY_AGAIN);
  });
}

/** Empty when there is no readable database yet, which another check reports. */
async function readAccounts(config: Config): Promise<readonly OwnAccount[]> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined && !(fs.existsSync(dataDir) && isInitialized(clusterIn(dataDir)))) return [];
  try {
    const opened = await openSharedDatabase(config);
    try {
      const settings = { max: 1, name: 'foreword doctor', onError: () => undefined };
      const db = openDatabase<Tables>(opened.connection, settings);
      try {
        return await listAccounts(db.kysely);
      } finally {
        await db.close();
      }
    } finally {
      await opened.stop();
    }
  } catch {
    return [];
  }
}

/** Uses the service's key. Does not create one: the doctor changes nothing. */
function openSeal({ dataDir, serverKey }: Config): Seal {
  const exists = serverKey !== undefined || fs.existsSync(path.join(dataDir, 'server.key'));
  return createSeal(
    exists ? openServerKey({ dataDir, given: serverKey }).derive(SEAL_PURPOSE) : randomSecret(SEAL_KEY_BYTES),
  );
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
  if (status === 'ok') return ok(name, message);
  const details = `${message} This is the own account of ${organizationId}.`;
  const fix = `${FIX} Run: foreword delivery set --org ${organizationId} --twilio-account-sid ….`;
  return status === 'refused' ? problem(name, details, fix) : warning(name, details, TRY_AGAIN);
}

/** Checks the service's accounts with each carrier, and those of organizations with their own. Sends nothing. */
export async function checkCarriers(config: Config): Promise<Finding[]> {
  const accounts = await readAccounts(config);
  const seal = accounts.length > 0 ? openSeal(config) : createSeal(randomSecret(SEAL_KEY_BYTES));
  const carriers = openCarriers(config.carriers, { seal, clock: systemClock });
  const findings = await checkShared(carriers);
  for (let at = 0; at < accounts.length; at += MAX_CONCURRENT) {
    const some = accounts.slice(at, at + MAX_CONCURRENT);
    findings.push(...(await Promise.all(some.map((account) => checkOwn(carriers, account)))));
  }
  return findings;
}
