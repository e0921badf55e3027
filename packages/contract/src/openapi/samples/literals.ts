import type { Json } from '../schemas.ts';

/** How a language writes the values of JSON. */
export interface LiteralStyle {
  readonly indent: string;
  readonly object: readonly [open: string, close: string];
  readonly list: readonly [open: string, close: string];
  /** Whether short objects have spaces inside their braces. */
  readonly padded: boolean;
  readonly trailingComma: boolean;
  key(name: string): string;
  text(value: string): string;
  /** `null`, `true` and `false`. */
  readonly words: Readonly<Record<'null' | 'true' | 'false', string>>;
}

/** Longer objects and lists are written on several lines. */
const MAX_WIDTH = 88;

function writeParts(
  parts: string[],
  [open, close]: readonly [string, string],
  style: LiteralStyle,
  pad: string,
): string {
  const space = style.padded ? ' ' : '';
  const short = parts.length === 0 ? open + close : `${open}${space}${parts.join(', ')}${space}${close}`;
  if (!short.includes('\n') && pad.length + short.length <= MAX_WIDTH) return short;
  const inner = pad + style.indent;
  const last = style.trailingComma ? ',' : '';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${last}\n${pad}${close}`;
}

/** The value as source code. Lines after the first one start with `pad`. */
export function writeLiteral(value: Json, style: LiteralStyle, pad = ''): string {
  if (value === null || typeof value === 'boolean') return style.words[`${value}`];
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return style.text(value);
  const write = (part: Json) => writeLiteral(part, style, pad + style.indent);
  if (Array.isArray(value)) return writeParts(value.map(write), style.list, { ...style, padded: false }, pad);
  const fields = Object.entries(value).map(([name, part]) => style.key(name) + write(part));
  return writeParts(fields, style.object, style, pad);
}

/** In single quotes, with a backslash before quotes and backslashes. */
export const singleQuoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
