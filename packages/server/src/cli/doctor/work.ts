import { ALERT_LIMITS } from '../../alerts.ts';
import type { Tables } from '../../db/tenancy.ts';
import { secondsOverdue } from '../../delivery/index.ts';
import { oldestAcceptedAgeMs } from '../../events/index.ts';
import { openDatabaseClock } from '../../platform/database-clock.ts';
import type { Database } from '../../platform/db.ts';
import { oldestWaitingTakeMs } from '../../recordings/index.ts';
import { countWaitingWebhooks } from '../../webhooks/index.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const GUIDE = 'docs/self-hosting/monitoring.md says what to check.';

/** Whether work is done in time: the same limits as those of the alerts. */
export async function checkWork(db: Database<Tables>): Promise<Finding[]> {
  const now = (await openDatabaseClock(db.pool)).now();
  const eventS = Math.round((await oldestAcceptedAgeMs(db.pool, now)) / 1_000);
  const messageS = Math.round(await secondsOverdue(db, now));
  const takeS = Math.round((await oldestWaitingTakeMs(db, now)) / 1_000);
  const webhooks = await countWaitingWebhooks(db);
  return [
    eventS > ALERT_LIMITS.oldestEventS
      ? problem('events', `Accepted events wait for up to ${eventS} s.`, `Check that a worker is running. ${GUIDE}`)
      : ok('events', 'No event waits for long.'),
    messageS > ALERT_LIMITS.overdueMessageS
      ? problem('messages', `Texts or emails are up to ${messageS} s late.`, `Check that a worker is running. ${GUIDE}`)
      : ok('messages', 'No text and no email is late.'),
    takeS > ALERT_LIMITS.waitingTakeS
      ? problem(
          'takes',
          `Takes wait for up to ${takeS} s for their video.`,
          `Check that a process with the role media is running. ${GUIDE}`,
        )
      : ok('takes', 'No take waits for long.'),
    webhooks > ALERT_LIMITS.webhooksWaiting
      ? warning('webhooks', `${webhooks} webhooks wait.`, `Look for an endpoint that fails or is slow. ${GUIDE}`)
      : ok('webhooks', 'No backlog.'),
  ];
}
