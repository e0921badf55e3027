import { readTexts } from '../../search-text.ts';

const NAMES = ['q', 'method', 'status', 'key', 'error', 'since', 'until'] as const;

export type RequestsSearch = { readonly [N in (typeof NAMES)[number]]?: string };

/** The request log's filters, as they appear in the URL. */
export const readRequestsSearch = (search: Record<string, unknown>): RequestsSearch => readTexts(search, NAMES);
