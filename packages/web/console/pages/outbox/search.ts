import { readTexts } from '../../search-text.ts';

/** Reads the filters from the address bar. */
export const readOutboxSearch = (search: Record<string, unknown>) => readTexts(search, ['status', 'audience']);
