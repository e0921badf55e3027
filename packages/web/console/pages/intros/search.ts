import { readTexts } from '../../search-text.ts';

const FIELDS = ['view', 'q', 'status', 'member', 'touchpoint', 'from', 'to'] as const;

export type IntrosSearch = { readonly [F in (typeof FIELDS)[number]]?: string };

/** What stands in the address bar of the list of intros. What is no filter of ours is said by the server. */
export const readIntrosSearch = (search: Record<string, unknown>): IntrosSearch => readTexts(search, FIELDS);
