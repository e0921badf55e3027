import type { Links } from '../../links/index.ts';
import type { MessageRow } from '../store/messages.ts';

interface LinkedIntro {
  readonly intro_id: string;
  readonly link_generation: number;
}

/** The text for the database, which does not get its link. */
export const hideLink = (links: Links, text: string, row: LinkedIntro): string =>
  links.hide(text, { introId: row.intro_id, generation: row.link_generation });

/** The text with its link, as it was sent; null before it was composed. */
export const bodyOf = (links: Links, { body, intro_id }: Pick<MessageRow, 'intro_id' | 'body'>): string | null =>
  body === null ? null : links.show(body, intro_id);
