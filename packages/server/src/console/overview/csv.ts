/** Spreadsheets treat a cell that starts with one of these as a formula, which could leak the sheet's data. */
const FORMULA = /^[=+\-@\t\r]/;
/** Numbers and phone numbers cannot call a function. */
const HARMLESS = /^[+-]?\d+(\.\d+)?$/;

function writeCell(value: string | number | Date | null): string {
  if (value === null) return '';
  const text = value instanceof Date ? value.toISOString() : String(value);
  const safe = FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of RFC 4180, with formulas defused. */
export const writeLine = (values: readonly (string | number | Date | null)[]): string =>
  `${values.map(writeCell).join(',')}\r\n`;
