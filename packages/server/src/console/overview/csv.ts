/** A spreadsheet takes what begins with one of these as a formula, which may send the sheet away. */
const FORMULA = /^[=+\-@\t\r]/;
/** A number, or one of a telephone: nothing is called by it. */
const HARMLESS = /^[+-]?\d+(\.\d+)?$/;

function writeCell(value: string | number | Date | null): string {
  if (value === null) return '';
  const text = value instanceof Date ? value.toISOString() : String(value);
  const safe = FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** RFC 4180, and nothing that a spreadsheet would run. */
export const writeLine = (values: readonly (string | number | Date | null)[]): string =>
  `${values.map(writeCell).join(',')}\r\n`;
