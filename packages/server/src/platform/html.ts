import { withoutDirection, withoutReordering } from '@foreword/contract';

/** Safe HTML, created only by the tag `html` and by `trusted`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | null | false | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeMarks = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

/** For text and for attributes in double quotes, without characters that reorder text. */
export const escapeHtml = (text: string): string => escapeMarks(withoutDirection(text));

/** JSON that cannot close its own script element, without characters that reorder text. */
export const embedJson = (value: unknown): string => withoutDirection(JSON.stringify(value)).replaceAll('<', '\\u003c');

function write(piece: Piece): string {
  if (piece === null || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  // A sentence has isolated the names in it.
  return escapeMarks(withoutReordering(String(piece)));
}

/**
 * Escapes every value for text and for attributes in double quotes, and removes characters that reorder text. Null and false
 * render as nothing.
 */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(String.raw({ raw: parts }, ...pieces.map(write)));

/** For our own styles, scripts and drawings, which must not be escaped. */
export const trusted = (text: string): Html => new Html(text);
