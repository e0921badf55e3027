import type { Page } from 'playwright-core';
import type { SampleCompany } from './console-sample-data.ts';

/** The signed-in user: a role in the sample company, the owner of an empty company, or no one. */
export type Viewer = 'owner' | 'manager' | 'member' | 'emptyOwner' | 'signedOut';

export interface Screen {
  readonly name: string;
  readonly viewer: Viewer;
  /** The router's path; `$` marks an id of the sample company. */
  readonly path: string;
  readonly ids?: (company: SampleCompany) => Readonly<Record<string, string>>;
  /** The level-1 heading. */
  readonly heading: string | RegExp;
  /** The expected response status if it is not 200. The browser logs it as an error. */
  readonly status?: number;
  /** Brings the page into the state to check. */
  readonly prepare?: (page: Page) => Promise<void>;
}
