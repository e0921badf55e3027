import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

export const parse = (text: string): Root => fromMarkdown(text);

/** A new address for a link, or the text that replaces the whole link. */
export type Rewritten = { readonly address: string } | { readonly text: string };

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function findEdit(node: Nodes, source: string, rewrite: (address: string, label: string) => Rewritten): Edit | null {
  if (node.type !== 'link' && node.type !== 'image' && node.type !== 'definition') return null;
  const start = node.position?.start.offset ?? 0;
  const end = node.position?.end.offset ?? 0;
  // An address in the text, such as <https://…>: the source has no brackets around it.
  if (node.type !== 'definition' && !/^!?\[/.test(source.slice(start, end))) return null;
  const labelEnd =
    node.type === 'link' ? (node.children.at(-1)?.position?.end.offset ?? start + 1) : source.indexOf(']', start);
  const label = source.slice(node.type === 'link' ? start + 1 : start, labelEnd);
  const rewritten = rewrite(node.url, label);
  if ('text' in rewritten) return { start, end, text: rewritten.text };
  if (rewritten.address === node.url) return null;
  const address = rewritten.address;
  const opening = source.indexOf(node.type === 'definition' ? ']:' : '](', labelEnd) + 2;
  const written = source.slice(opening, end).replace(node.url, () => address);
  return { start: opening, end, text: written };
}

/** Rewrites the addresses of links and images, and changes nothing else: not the text, and no code. */
export function rewriteLinks(text: string, rewrite: (address: string, label: string) => Rewritten): string {
  const edits: Edit[] = [];
  const visit = (node: Nodes): void => {
    const edit = findEdit(node, text, rewrite);
    if (edit !== null) edits.push(edit);
    else if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(parse(text));
  return edits
    .sort((a, b) => b.start - a.start)
    .reduce((result, { start, end, text: written }) => result.slice(0, start) + written + result.slice(end), text);
}
