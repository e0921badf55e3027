import type { Page } from 'playwright-core';
import type { Company } from './console-company.ts';

/** Who looks: of the busy company, or the owner of one that was just founded, or nobody yet. */
export type Looker = 'owner' | 'manager' | 'member' | 'founder' | 'stranger';

export interface Screen {
  readonly name: string;
  readonly who: Looker;
  /** As the router has it; what begins with $ is an id of the company. */
  readonly path: string;
  readonly ids?: (company: Company) => Readonly<Record<string, string>>;
  /** Its heading of the first level. */
  readonly heading: string | RegExp;
  /** What it is answered with, unless 200: the browser itself then notes it as a fault. */
  readonly status?: number;
  /** What is done before it is looked at. */
  readonly play?: (page: Page) => Promise<void>;
}
