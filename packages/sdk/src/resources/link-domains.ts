import type { CreateLinkDomain, DeletedLinkDomain, LinkDomain, ListLinkDomainsParams } from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/link-domains';

const pathOf = (id: string): string => `${PATH}/${segment('id', id)}`;

export class LinkDomains extends Resource {
  /** Publish what `verification` says, and point the host to the service. Both are then checked automatically. */
  async create(body: CreateLinkDomain, options?: WriteOptions): Promise<LinkDomain> {
    return this.change(PATH, options, { body });
  }

  list(filters: ListLinkDomainsParams = {}, options: RequestOptions = {}): List<LinkDomain> {
    return this.pages(PATH, filters, options);
  }

  async retrieve(id: string, options?: RequestOptions): Promise<LinkDomain> {
    return this.read(pathOf(id), options);
  }

  /** Checks it within a few seconds. Retrieve it for the result. */
  async check(id: string, options?: WriteOptions): Promise<LinkDomain> {
    return this.change(`${pathOf(id)}/check`, options);
  }

  /** Links that were sent keep working while the domain leads to the service. */
  async delete(id: string, options?: WriteOptions): Promise<DeletedLinkDomain> {
    return this.change(pathOf(id), options, { method: 'DELETE' });
  }
}
