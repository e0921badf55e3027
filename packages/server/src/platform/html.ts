/** HTML that was made here; only the tag `html` and `trusted` make it. */
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

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);

function write(piece: Piece): string {
  if (piece === null || piece === false) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return escapeHtml(String(piece));
}

/** Every value is escaped, for text and for attributes in double quotes; null and false leave nothing. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(String.raw({ raw: parts }, ...pieces.map(write)));

/** For texts of our own that are not to be escaped: styles, scripts, drawings. */
export const trusted = (text: string): Html => new Html(text);
