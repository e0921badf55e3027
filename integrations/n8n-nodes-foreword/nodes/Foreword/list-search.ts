import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { listPage } from '../shared/paging';

const matches = (filter: string | undefined, ...texts: unknown[]): boolean =>
  !filter ||
  texts.some((text) =>
    String(text ?? '')
      .toLowerCase()
      .includes(filter.toLowerCase()),
  );

/** Active touchpoints only: events for the others are rejected. */
export async function searchTouchpoints(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
  const { data } = await listPage(this, '/v1/touchpoints', {});
  return {
    results: data
      .filter(({ active, name, slug }) => active === true && matches(filter, name, slug))
      .map(({ name, slug }) => ({ name: `${name} (${slug})`, value: String(slug) })),
  };
}

/** Active members, one page at a time; n8n asks for the next one while the user scrolls. */
export async function searchMembers(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const query: IDataObject = { active: true, limit: 100, ...(paginationToken && { starting_after: paginationToken }) };
  const { data, hasMore } = await listPage(this, '/v1/members', query);
  const last = data.at(-1)?.id;
  return {
    results: data
      .map(({ id, first_name, last_name, email }) => ({
        name: `${first_name} ${last_name} (${email})`,
        value: String(id),
      }))
      .filter(({ name }) => matches(filter, name)),
    ...(hasMore && typeof last === 'string' && { paginationToken: last }),
  };
}
