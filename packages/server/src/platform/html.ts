import { withoutReordering } from '@foreword/contract';

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

const escapeHtml = (text: string): string =>
  withoutReordering(text).replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

function write(piece: Piece): string {
  if (piece === null || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return escapeHtml(String(piece));
}

/**
 * Escapes every value for text and for attributes in double quotes, and removes characters that reorder text. Null and false
 * render as nothing.
 */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(String.raw({ raw: parts }, ...pieces.map(write)));

/** For our own styles, scripts and drawings, which must not be escaped. */
export const trusted = (text: string): Html => new Html(text);
