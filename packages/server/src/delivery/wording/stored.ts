import type { Links } from '../../links/index.ts';
import type { MessageRow } from '../store/messages.ts';

interface LinkedIntro {
  readonly intro_id: string;
  readonly link_generation: number;
}

/** The columns for a text about an intro. The database does not get its link. */
export const toStored = (
  links: Links,
  body: string,
  { intro_id: introId, link_generation: generation }: LinkedIntro,
): Pick<MessageRow, 'body' | 'wording'> => ({ body: null, wording: links.hide(body, { introId, generation }) });

/** The text with its link, as it was sent; null before it was composed. `body` is newer: see `toStored`. */
export const bodyOf = (links: Links, row: Pick<MessageRow, 'intro_id' | 'body' | 'wording'>): string | null =>
  row.body ?? (row.wording === null ? null : links.show(row.wording, row.intro_id));
