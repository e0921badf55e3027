import type { CreateMember, DeactivateMember, ListMembersParams, Member, UpdateMember } from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type CreateOptions, type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/members';

const pathOf = (id: string): string => `${PATH}/${segment('id', id)}`;

export class Members extends Resource {
  /** A member with this `external_id` is updated instead. A deactivated one stays deactivated. */
  create(body: CreateMember, options: CreateOptions): Promise<Member> {
    return this.add(PATH, body, options);
  }

  list(filters: ListMembersParams = {}, options: RequestOptions = {}): List<Member> {
    return this.pages(PATH, filters, options);
  }

  async retrieve(id: string, options?: RequestOptions): Promise<Member> {
    return this.read(pathOf(id), options);
  }

  async update(id: string, body: UpdateMember, options?: WriteOptions): Promise<Member> {
    return this.change(pathOf(id), options, { body });
  }

  /** `open_intros` decides what happens to the intros that the member has not recorded. */
  async deactivate(id: string, body?: DeactivateMember, options?: WriteOptions): Promise<Member> {
    return this.change(`${pathOf(id)}/deactivate`, options, { body });
  }

  async reactivate(id: string, options?: WriteOptions): Promise<Member> {
    return this.change(`${pathOf(id)}/reactivate`, options);
  }
}
