import { readSyntax, type Syntax, type Tag } from './syntax.ts';
import { conditionLabel, endLabel, variableLabel } from './texts.ts';

export interface Pill {
  readonly from: number;
  readonly to: number;
  readonly kind: 'variable' | 'condition';
  readonly label: string;
}

const PATH = /^[\w.]+/;
const CONDITIONS = ['if', 'unless'];

function outputPill(tag: Tag, paths: readonly string[]): Pill[] {
  const [path = ''] = PATH.exec(tag.inner) ?? [];
  const filters = tag.inner.slice(path.length).trim();
  // Anything else stays visible as text, so that it can be corrected.
  if (!paths.includes(path) || (filters !== '' && !filters.startsWith('|'))) return [];
  return [{ from: tag.from, to: tag.to, kind: 'variable', label: variableLabel(path, filters.slice(1).trim()) }];
}

/** The tags that the editor shows as pills: known variables, and conditions that are closed. */
export function findPills(text: string, paths: readonly string[], { tags, blocks }: Syntax = readSyntax(text)): Pill[] {
  const pills = tags.filter(({ kind }) => kind === 'output').flatMap((tag) => outputPill(tag, paths));
  for (const { open, middles, close } of blocks) {
    if (close === null || !CONDITIONS.includes(open.name)) continue;
    const add = ({ from, to }: Tag, label: string) => pills.push({ from, to, kind: 'condition', label });
    add(open, conditionLabel(open.name, open.inner.slice(open.name.length).trim()));
    for (const middle of middles)
      add(middle, conditionLabel(middle.name, middle.inner.slice(middle.name.length).trim()));
    add(close, endLabel);
  }
  return pills.sort((a, b) => a.from - b.from);
}
