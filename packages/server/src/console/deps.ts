import type { WebBuild } from '@foreword/web/build';
import type { Jobs } from '../db/jobs.ts';
import type { Connection } from '../db/pools.ts';
import type { Database } from '../db/tenancy.ts';
import type { Carriers, CarrierWatch, Delivery, ErasedOptOuts } from '../delivery/index.ts';
import type { Authenticator, RequestQueues } from '../http/access/index.ts';
import type { Served, UseOperation } from '../http/index.ts';
import type { EventAcceptor } from '../intros/events/index.ts';
import type { Decline, IntroCreator, IntroEvents, Reassign } from '../intros/index.ts';
import type { Links } from '../intros/links/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logs } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Objects } from '../platform/objects/index.ts';
import type { Seal } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { WorkFolders } from '../platform/work-folders.ts';
import type { Encoder } from '../recordings/index.ts';
import type { TestClocks } from '../testing/clock/index.ts';
import type { ContentSeal } from '../webhooks/index.ts';
import type { CompanySettings } from './signin/company.ts';

/** The services behind the console, which are also those of the API. */
export interface ConsoleDeps {
  readonly db: Database;
  /** For statistics, which may take several seconds. */
  readonly reportDb: Database;
  /** For LISTEN. */
  readonly direct: Connection;
  readonly clock: Clock;
  readonly testClocks: TestClocks;
  readonly log: Logs;
  readonly metrics: Metrics;
  readonly jobs: Jobs;
  readonly objects: Objects;
  readonly encoder: Encoder;
  readonly workFolders: WorkFolders;
  readonly links: Links;
  readonly seal: Seal;
  readonly serverKey: ServerKey;
  readonly introEvents: IntroEvents;
  readonly reassign: Reassign;
  readonly decline: Decline;
  readonly carriers: Carriers;
  readonly carrierWatch: CarrierWatch;
  readonly delivery: Delivery;
  readonly erasedOptOuts: ErasedOptOuts;
  readonly events: EventAcceptor;
  readonly creator: IntroCreator;
  readonly contents: ContentSeal;
  /** The operations of the API. */
  readonly served: readonly Served[];
  readonly use: UseOperation;
  readonly authenticator: Authenticator;
  readonly queues: RequestQueues;
  readonly publicUrl: string;
  /** Undefined unless this installation is one of several behind one address. */
  readonly cell: string | undefined;
  /** Foreword's version. */
  readonly version: string;
  readonly webhooksAllowPrivate: boolean;
  /** Undefined without OpenID Connect. */
  readonly company: CompanySettings | undefined;
  readonly build: WebBuild;
  /** The object store's origin, when browsers load videos from it directly. */
  readonly mediaOrigin: string | null;
}
