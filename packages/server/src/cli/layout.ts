/** Width of help, and of lists when the output is not a terminal. */
export const DEFAULT_COLUMNS = 100;

/** A narrower terminal wraps the lines itself. */
const MIN_COLUMNS = 20;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const charactersOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** East Asian characters and emoji take two columns. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;
const ASCII = /^[\x20-\x7e]*$/;
const columnsOf = (character: string): number => (WIDE.test(character) ? 2 : 1);

/** How many columns the text takes on a terminal. */
export const widthOf = (text: string): number =>
  ASCII.test(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + columnsOf(character), 0);

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** The longest start of the text that fits, and the rest. At least one character. */
function splitAt(text: string, width: number): [string, string] {
  let start = '';
  let used = 0;
  for (const character of charactersOf(text)) {
    used += columnsOf(character);
    if (used > width && start !== '') break;
    start += character;
  }
  return [start, text.slice(start.length)];
}

export const truncate = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${splitAt(text, width - 1)[0].trimEnd()}…`;

/** Breaks lines at spaces. Words longer than a line are broken anywhere, or kept whole so that they can be copied. */
export function wrap(text: string, width: number, keepsWords = false): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    let rest = word;
    if (line !== '' && widthOf(line) + 1 + widthOf(rest) <= width) {
      line += ` ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (!keepsWords && widthOf(rest) > width) {
      const [start, remainder] = splitAt(rest, width);
      lines.push(start);
      rest = remainder;
    }
    line = rest;
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** Two columns: the texts on the right are wrapped and stay to the right of the names. */
export function twoColumns(
  rows: readonly (readonly [string, string])[],
  {
    indent = 0,
    left = 0,
    columns,
    keepsWords,
  }: { indent?: number; left?: number; columns: number; keepsWords?: boolean },
): string {
  // A name longer than `left` gets its own line.
  const longest = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  const start = indent + (left === 0 ? longest : Math.min(longest, left)) + 2;
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, Math.max(MIN_COLUMNS, columns - start), keepsWords);
      const first = ' '.repeat(indent) + name;
      const rest = lines.map((line) => `${' '.repeat(start)}${line}`);
      if (widthOf(first) + 2 > start) return [first, ...rest].join('\n');
      return [`${pad(first, start)}${lines[0]}`, ...rest.slice(1)].join('\n').trimEnd();
    })
    .join('\n');
}
