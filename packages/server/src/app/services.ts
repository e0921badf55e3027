/** Services that the wiring gives to modules. Each module names those that it needs. */

import type { Database } from '../db/tenancy.ts';
import type { Links } from '../intros/links/index.ts';
import type { Traces } from '../intros/traces/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Objects, Space } from '../platform/objects/index.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { WorkFolders } from '../platform/work-folders.ts';
import type { TestClocks } from '../testing/clock/index.ts';

export interface Services {
  /** For background work. In what serves requests, the one for requests. */
  readonly db: Database;
  /** Refuses requests at once while the database does not respond. */
  readonly requestDb: Database;
  /** For statistics, which may take several seconds and be a few seconds old. */
  readonly reportDb: Database;
  /** The database's time, for everything that is stored or compared with what is stored. */
  readonly clock: Clock;
  /** The time of each organization, which is ahead of the real time on a test clock. */
  readonly testClocks: TestClocks;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The traces of events and intros. */
  readonly traces: Traces;
  readonly objects: Objects;
  /** Free space of the object store. */
  readonly space: Space;
  readonly workFolders: WorkFolders;
  readonly links: Links;
  readonly serverKey: ServerKey;
  readonly publicUrl: string;
}
