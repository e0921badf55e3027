import { PAGE_LIFE_DAYS } from '@foreword/contract';
import { type Config, keySource } from '../../config.ts';
import type { Tables } from '../../db/tenancy.ts';
import { countLiveLinks } from '../../links/index.ts';
import { closedBefore } from '../../pages/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { fingerprintOf, isReencrypted, readServerKeys, readStoredKeys } from '../../platform/server-key.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const NAME = 'server key';
/** Counting more would tell an operator nothing new. */
const MAX_COUNTED = 10_000;

const SET_IT =
  'Use the SERVER_KEY or DATA_DIR of the other nodes. While you rotate the key, keep the current one in SERVER_KEY, after the new one, until foreword server-key rotate has finished.';
const ROTATE = 'When every node runs with the new and the previous key, run foreword server-key rotate once.';
const RESUME = 'Run foreword server-key rotate again. Until then, keep backups of the previous key.';

async function describeLinks(db: Queryable<Tables>, createdBefore: Date, now: Date): Promise<string> {
  const links = await countLiveLinks(db, {
    createdBefore,
    sentAfter: closedBefore(now, PAGE_LIFE_DAYS),
    limit: MAX_COUNTED,
  });
  const count = links === MAX_COUNTED ? `${links} or more` : `${links}`;
  return `Live links that derive from earlier keys: ${count}. The database contains those keys, encrypted.`;
}

/** Whether this configuration has the key of the database, and whether a rotation is finished. */
export async function checkServerKey(db: Queryable<Tables>, config: Config): Promise<Finding> {
  const stored = await readStoredKeys(db);
  if (stored === null) return ok(NAME, 'None yet. The first start records one.');
  const { previous, now } = stored;
  const inUse = stored.fingerprint.toString('hex');
  const position = readServerKeys(keySource(config)).findIndex((key) => fingerprintOf(key) === inUse);
  if (position < 0) return problem(NAME, 'The database uses a key that is not set here.', SET_IT);
  if (config.serverKey !== undefined && position > 0) {
    return warning(
      NAME,
      'The first key in SERVER_KEY is not in use yet: the database still uses a previous one.',
      ROTATE,
    );
  }
  const since = previous.at(-1)?.usedUntil;
  if (since === undefined) return ok(NAME, 'The database uses this key, its first one.');
  if (!isReencrypted(stored)) {
    return warning(NAME, 'The last rotation has not encrypted everything with the current key yet.', RESUME);
  }
  const removable = config.previousServerKeys.length > 0 ? ' The previous keys in SERVER_KEY can be removed.' : '';
  const links = await describeLinks(db, since, now);
  return ok(NAME, `In use since ${since.toISOString()}, for everything stored.${removable} ${links}`);
}
