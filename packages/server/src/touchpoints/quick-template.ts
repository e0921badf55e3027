import { type Filter, IfTag, Output, type Template, TypeGuards, type Value } from 'liquidjs';

/**
 * A template as a function of its values. LiquidJS walks a tree by generators, which takes ten times as long as what most
 * templates do: name a value, or ask whether there is one. That is put together here. LiquidJS still reads every template,
 * and renders the pieces that ask for more.
 */
export type QuickTemplate = (values: object, renderPiece: (piece: Template) => string) => string;

type Reader = (values: object) => unknown;

/** Null when it has a tag that sets a value or repeats: then LiquidJS renders it as a whole. */
export function quicken(templates: readonly Template[], paths: readonly string[]): QuickTemplate | null {
  const pieces: QuickTemplate[] = [];
  for (const template of templates) {
    const piece = quickenPiece(template, paths);
    if (piece === null) return null;
    pieces.push(piece);
  }
  return (values, renderPiece) => {
    let text = '';
    for (const piece of pieces) text += piece(values, renderPiece);
    return text;
  };
}

function quickenPiece(template: Template, paths: readonly string[]): QuickTemplate | null {
  const { token } = template;
  if (TypeGuards.isHTMLToken(token)) {
    const words = token.getContent();
    return () => words;
  }
  if (template instanceof Output) return quickenOutput(template, paths);
  return template instanceof IfTag ? quickenIf(template, paths) : null;
}

/** For one of the given values, which is a text, an appointment that can be written as one, or not there. */
function readerOf({ initial }: Value, paths: readonly string[]): Reader | null {
  const [name, ...more] = initial.postfix;
  if (name === undefined || more.length > 0 || !paths.includes(name.getText())) return null;
  const segments = name.getText().split('.');
  return (values) => {
    let found: unknown = values;
    for (const segment of segments) found = (found as Record<string, unknown> | null)?.[segment];
    return found ?? null;
  };
}

/** Up to how many characters the filters leave a text as it is. */
function lengthLeftAlone(filters: readonly Filter[]): number {
  const [filter, ...more] = filters;
  if (filter === undefined) return Number.POSITIVE_INFINITY;
  const [limit] = filter.args;
  if (filter.name !== 'truncate' || more.length > 0 || limit === undefined || Array.isArray(limit)) return -1;
  return TypeGuards.isNumberToken(limit) ? limit.content : -1;
}

function quickenOutput(output: Output, paths: readonly string[]): QuickTemplate {
  const read = readerOf(output.value, paths);
  const leftAlone = lengthLeftAlone(output.value.filters);
  return (values, renderPiece) => {
    if (read === null || leftAlone < 0) return renderPiece(output);
    const value = read(values);
    const text = value === null ? '' : String(value);
    return text.length <= leftAlone ? text : renderPiece(output);
  };
}

function quickenIf(tag: IfTag, paths: readonly string[]): QuickTemplate | null {
  const otherwise = quicken(tag.elseTemplates ?? [], paths);
  if (otherwise === null) return null;
  const branches: { isMeant: Reader; render: QuickTemplate }[] = [];
  for (const { value, templates } of tag.branches) {
    const isMeant = value.filters.length === 0 ? readerOf(value, paths) : null;
    const render = quicken(templates, paths);
    if (render === null) return null;
    if (isMeant === null) return (_, renderPiece) => renderPiece(tag);
    branches.push({ isMeant, render });
  }
  return (values, renderPiece) => {
    // Only what is missing counts as false: an empty text does not.
    const chosen = branches.find(({ isMeant }) => isMeant(values) !== null);
    return (chosen?.render ?? otherwise)(values, renderPiece);
  };
}
