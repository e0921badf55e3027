import type { WebBuild } from '@foreword/web/build';
import type { Services } from '../app/services.ts';
import type { Connection } from '../db/pools.ts';
import type { Carriers, CarrierWatch, Delivery, ErasedOptOuts } from '../delivery/index.ts';
import type { Authenticator, RequestQueues } from '../http/access/index.ts';
import type { Served, UseOperation } from '../http/index.ts';
import type { EventAcceptor } from '../intros/events/index.ts';
import type { Decline, IntroCreator, IntroEvents, Reassign } from '../intros/index.ts';
import type { Logs } from '../platform/log.ts';
import type { Seal } from '../platform/seal.ts';
import type { Encoder } from '../recordings/index.ts';
import type { ContentSeal } from '../webhooks/index.ts';
import type { CompanySettings } from './signin/company.ts';

/** The services behind the console, which are also those of the API. */
export interface ConsoleDeps extends Omit<Services, 'requestDb' | 'traces' | 'space' | 'log'> {
  /** For LISTEN. */
  readonly direct: Connection;
  readonly log: Logs;
  readonly encoder: Encoder;
  readonly seal: Seal;
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
