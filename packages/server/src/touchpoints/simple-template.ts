import { type Scope, templateVariables } from './template-values.ts';

type Piece =
  | { readonly text: string }
  | { readonly path: readonly string[]; readonly maxLength: number; readonly fallback: string }
  | { readonly condition: readonly string[]; readonly given: Piece[]; readonly otherwise: Piece[] };

/** `{{ variable }}`, with `truncate: 60` or `default: "text"`, and `{% if variable %}`, `{% else %}` or `{% endif %}`. */
const TAG =
  /\{\{\s*([a-z_.]+)\s*(?:\|\s*(?:truncate:\s*(\d{1,4})|default:\s*"([^"\\{}]*)")\s*)?\}\}|\{%\s*(?:if\s+([a-z_.]+)|(else)|endif)\s*%\}/g;
const PATHS = new Map(templateVariables.map(({ path }) => [path, path.split('.')]));

function valueAt(scope: Scope, path: readonly string[]): unknown {
  let value: unknown = scope;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
  return value ?? null;
}

/** Null if a value is too long: LiquidJS truncates it. */
function render(pieces: readonly Piece[], scope: Scope): string | null {
  let output = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      output += piece.text;
    } else if ('path' in piece) {
      const value = String(valueAt(scope, piece.path) ?? '');
      if (value.length > piece.maxLength) return null;
      output += value || piece.fallback;
    } else {
      const part = render(valueAt(scope, piece.condition) === null ? piece.otherwise : piece.given, scope);
      if (part === null) return null;
      output += part;
    }
  }
  return output;
}

/**
 * Most templates have only variables and plain conditions. Rendering them here takes a tenth of LiquidJS's time, and a quarter of the
 * memory of an event. Null for every other template. Requires a template that LiquidJS has parsed; a test compares the two.
 */
export function compileSimple(text: string): ((scope: Scope) => string | null) | null {
  const root: Piece[] = [];
  const open: { readonly otherwise: Piece[]; readonly outer: Piece[]; hasElse: boolean }[] = [];
  let pieces = root;
  let end = 0;
  const addText = (until: number): boolean => {
    const between = text.slice(end, until);
    pieces.push({ text: between });
    return !/\{[{%]/.test(between);
  };
  for (const match of text.matchAll(TAG)) {
    if (!addText(match.index)) return null;
    end = match.index + match[0].length;
    const [, variable, maxLength, fallback = '', condition, isElse] = match;
    const name = variable ?? condition;
    const path = name === undefined ? undefined : PATHS.get(name);
    if (name !== undefined && path === undefined) return null;
    const innermost = open.at(-1);
    if (variable !== undefined && path !== undefined) {
      pieces.push({ path, maxLength: Number(maxLength ?? Number.POSITIVE_INFINITY), fallback });
    } else if (path !== undefined) {
      const branch = { condition: path, given: [], otherwise: [] };
      pieces.push(branch);
      open.push({ otherwise: branch.otherwise, outer: pieces, hasElse: false });
      pieces = branch.given;
    } else if (innermost === undefined || (isElse !== undefined && innermost.hasElse)) {
      return null;
    } else if (isElse === undefined) {
      pieces = innermost.outer;
      open.pop();
    } else {
      innermost.hasElse = true;
      pieces = innermost.otherwise;
    }
  }
  if (!addText(text.length) || open.length > 0) return null;
  return (scope) => render(root, scope);
}
