import type { Touchpoint } from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type RequestOptions, segment } from '../request.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/touchpoints';

export class Touchpoints extends Resource {
  /** All touchpoints of the organization, in its own order. */
  list(options?: RequestOptions): List<Touchpoint> {
    return this.onePage(PATH, options);
  }

  async retrieve(id: string, options?: RequestOptions): Promise<Touchpoint> {
    return this.read(`${PATH}/${segment('id', id)}`, options);
  }
}
