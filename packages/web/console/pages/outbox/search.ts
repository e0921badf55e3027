import { readTexts } from '../../search-text.ts';

/** What stands in the address bar of the outbox. */
export const readOutboxSearch = (search: Record<string, unknown>) => readTexts(search, ['status', 'audience']);
