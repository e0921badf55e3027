import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../../config.ts';
import { openSharedDatabase } from '../../database.ts';
import { type Carriers, listAccounts, type OwnAccount, openCarriers } from '../../delivery/index.ts';
import { systemClock } from '../../platform/clock.ts';
import { openDatabase } from '../../platform/db.ts';
import { clusterIn, isInitialised } from '../../platform/embedded-postgres/cluster.ts';
import { createSeal, randomSecret, type Seal } from '../../platform/seal.ts';
import { openServerKey } from '../../platform/server-key.ts';
import type { Tables } from '../../tables.ts';
import { SEAL_PURPOSE } from '../../webhooks/index.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const SEAL_KEY_BYTES = 32;
/** Accounts that are asked about at the same time. */
const AT_ONCE = 8;

const NEXT = {
  'text messages': 'Set SMS_CARRIER to twilio or http, with its settings; until then nobody gets a text.',
  'e-mail': 'Set SMTP_URL and MAIL_FROM; until then nobody gets an e-mail.',
} as const;
const MEND = 'Correct the account; what waits is sent once it is right.';
const TRY_AGAIN = 'Look at the address and the network; what waits is tried again.';

async function checkShared(carriers: Carriers): Promise<Finding[]> {
  const { text, email } = await carriers.check();
  return (
    [
      ['text messages', text],
      ['e-mail', email],
    ] as const
  ).map(([name, { status, message }]) => {
    if (status === 'ok') return ok(name, message);
    // A choice, and the one that everybody begins with.
    if (status === 'unset') return ok(name, `${message} ${NEXT[name]}`);
    return status === 'refused' ? problem(name, message, MEND) : warning(name, message, TRY_AGAIN);
  });
}

/** None where there is no database yet, or none that can be read: another check says that. */
async function readAccounts(config: Config): Promise<readonly OwnAccount[]> {
  const { dataDir, databaseUrl } = config;
  if (databaseUrl === undefined && !(fs.existsSync(dataDir) && isInitialised(clusterIn(dataDir)))) return [];
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

/** The key of the service. One that is not there is not made: nothing is changed by looking. */
function openSeal({ dataDir, serverKey }: Config): Seal {
  const isThere = serverKey !== undefined || fs.existsSync(path.join(dataDir, 'server.key'));
  return createSeal(
    isThere ? openServerKey({ dataDir, given: serverKey }).derive(SEAL_PURPOSE) : randomSecret(SEAL_KEY_BYTES),
  );
}

async function checkOwn(carriers: Carriers, account: OwnAccount): Promise<Finding> {
  const { organizationId, name: organization } = account;
  const name = `text messages of ${organization}`;
  try {
    carriers.twilioOf(account);
  } catch {
    const next = 'Run this with the SERVER_KEY or DATA_DIR of the service, or set the account again.';
    return problem(name, `The account of ${organizationId} does not open with this server key.`, next);
  }
  const { status, message } = await carriers.checkTexts(account);
  if (status === 'ok') return ok(name, message);
  const said = `${message} It is the account of its own of ${organizationId}.`;
  const mend = `${MEND} See: foreword delivery set --org ${organizationId} --twilio-account-sid ….`;
  return status === 'refused' ? problem(name, said, mend) : warning(name, said, TRY_AGAIN);
}

/** Asks each carrier whether it takes our account, and those of organizations that have their own; sends nothing. */
export async function checkCarriers(config: Config): Promise<Finding[]> {
  const accounts = await readAccounts(config);
  const seal = accounts.length > 0 ? openSeal(config) : createSeal(randomSecret(SEAL_KEY_BYTES));
  const carriers = openCarriers(config.carriers, { seal, clock: systemClock });
  const findings = await checkShared(carriers);
  for (let at = 0; at < accounts.length; at += AT_ONCE) {
    const some = accounts.slice(at, at + AT_ONCE);
    findings.push(...(await Promise.all(some.map((account) => checkOwn(carriers, account)))));
  }
  return findings;
}
