import { readTexts } from '../../search-text.ts';

const NAMES = ['q', 'method', 'status', 'key', 'error', 'since', 'until'] as const;

export type RequestsSearch = { readonly [N in (typeof NAMES)[number]]?: string };

/** What stands in the address bar of the request log. */
export const readRequestsSearch = (search: Record<string, unknown>): RequestsSearch => readTexts(search, NAMES);
