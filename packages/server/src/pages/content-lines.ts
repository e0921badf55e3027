// The lines of calendar files (RFC 5545, 3.1 and 3.3.11) and of contact cards (RFC 2425 and 2426), which share one syntax.

const LINE_BYTES = 75;

/** A value that is text. No character in it can begin another line. */
export const escapeText = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '');

/** Folds a line at 75 bytes, never inside a character. */
function fold(line: string): string {
  const lines: string[] = [];
  let current = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > LINE_BYTES) {
      lines.push(current);
      // The space that marks a continuation line counts too.
      current = ' ';
      bytes = 1;
    }
    current += character;
    bytes += size;
  }
  return [...lines, current].join('\r\n');
}

export const writeLines = (lines: readonly string[]): string => `${lines.map(fold).join('\r\n')}\r\n`;
