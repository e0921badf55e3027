import { readTexts } from '../../search-text.ts';

const FIELDS = ['view', 'q', 'status', 'member', 'touchpoint', 'from', 'to'] as const;

export type IntrosSearch = { readonly [F in (typeof FIELDS)[number]]?: string };

/** The list's filters, as they appear in the URL. The server reports invalid values. */
export const readIntrosSearch = (search: Record<string, unknown>): IntrosSearch => readTexts(search, FIELDS);
