import type { IDataObject } from 'n8n-workflow';
import { callForeword, type RequestContext } from './request';

const PAGE_SIZE = 100;

interface ListOptions {
  readonly path: string;
  readonly query?: IDataObject;
  /** Undefined for all objects. */
  readonly limit?: number;
  readonly itemIndex?: number;
}

interface ListPage {
  readonly data: IDataObject[];
  readonly hasMore: boolean;
}

export async function listPage(
  context: RequestContext,
  path: string,
  query: IDataObject,
  itemIndex?: number,
): Promise<ListPage> {
  const request = { method: 'GET', path, query, ...(itemIndex !== undefined && { itemIndex }) } as const;
  const { data, has_more } = await callForeword(context, request);
  return { data: (data ?? []) as IDataObject[], hasMore: has_more === true };
}

/** Objects of a list, newest first, from as many pages as needed. */
export async function listObjects(context: RequestContext, options: ListOptions): Promise<IDataObject[]> {
  const { path, query = {}, limit = Number.POSITIVE_INFINITY, itemIndex } = options;
  const found: IDataObject[] = [];
  for (;;) {
    const after = found.at(-1)?.id;
    const size = Math.min(PAGE_SIZE, limit - found.length);
    const page = { ...query, limit: size, ...(after !== undefined && { starting_after: after }) };
    const { data, hasMore } = await listPage(context, path, page, itemIndex);
    found.push(...data);
    if (!hasMore || data.length === 0 || found.length >= limit) return found;
  }
}
