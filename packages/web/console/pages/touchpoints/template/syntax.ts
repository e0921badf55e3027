/** `{{ … }}` or `{% … %}`, with its place in the text. */
export interface Tag {
  readonly from: number;
  readonly to: number;
  readonly kind: 'output' | 'tag';
  /** The text between the braces, trimmed. */
  readonly inner: string;
  /** The first word: "if", "endif"; of an output, its variable. */
  readonly name: string;
}

/** A block, such as a condition, with its tags. `close` is null while it is not closed. */
interface Block {
  readonly open: Tag;
  readonly middles: Tag[];
  close: Tag | null;
}

interface SyntaxProblem {
  readonly kind: 'unclosed' | 'unopened' | 'braces';
  readonly tag: Tag;
}

export interface Syntax {
  readonly tags: readonly Tag[];
  readonly blocks: readonly Block[];
  /** In the order of the text. */
  readonly problems: readonly SyntaxProblem[];
}

const BLOCKS = ['if', 'unless', 'case', 'for', 'comment', 'raw'];
const MIDDLES = ['else', 'elsif', 'when'];
/** Liquid does not read what these contain. */
const VERBATIM = ['comment', 'raw'];

// The third alternative matches braces that are never closed.
const TAGS = /\{\{((?:(?!\{\{|\{%)[\s\S])*?)\}\}|\{%((?:(?!\{\{|\{%)[\s\S])*?)%\}|\{[{%]/g;

function readTags(text: string): { tags: Tag[]; broken: Tag[] } {
  const tags: Tag[] = [];
  const broken: Tag[] = [];
  for (const match of text.matchAll(TAGS)) {
    const from = match.index;
    const [whole, output, code] = match;
    const inner = (output ?? code ?? '').replace(/^-|-$/g, '').trim();
    const [name = ''] = inner.split(/[\s|]/);
    const kind = output === undefined ? 'tag' : 'output';
    const tag = { from, to: from + whole.length, kind, inner, name } as const;
    (output === undefined && code === undefined ? broken : tags).push(tag);
  }
  return { tags, broken };
}

/** Finds the conditions of a template, and every tag without its counterpart. */
export function readSyntax(text: string): Syntax {
  const { tags, broken } = readTags(text);
  const problems: SyntaxProblem[] = broken.map((tag) => ({ kind: 'braces', tag }));
  const blocks: Block[] = [];
  const open: Block[] = [];
  for (const tag of tags) {
    const top = open.at(-1);
    const isVerbatim = top !== undefined && VERBATIM.includes(top.open.name);
    if (tag.kind === 'output' || (isVerbatim && tag.name !== `end${top.open.name}`)) continue;
    if (BLOCKS.includes(tag.name)) {
      const block: Block = { open: tag, middles: [], close: null };
      blocks.push(block);
      open.push(block);
    } else if (MIDDLES.includes(tag.name)) {
      if (top === undefined) problems.push({ kind: 'unopened', tag });
      else top.middles.push(tag);
    } else if (BLOCKS.some((name) => tag.name === `end${name}`)) {
      if (top !== undefined && tag.name === `end${top.open.name}`) {
        top.close = tag;
        open.pop();
      } else problems.push({ kind: 'unopened', tag });
    }
  }
  for (const block of open) problems.push({ kind: 'unclosed', tag: block.open });
  return { tags, blocks, problems: problems.sort((a, b) => a.tag.from - b.tag.from) };
}

export interface TextChange {
  readonly from: number;
  readonly to?: number;
  readonly insert?: string;
}

/**
 * The changes that keep conditions closed after an edit: a typed opening tag gets its closing tag, and a tag whose counterpart
 * was deleted is deleted too. Problems from before the edit, which were pasted, stay for the user to fix.
 */
export function closeConditions(before: string, after: string, moved: (position: number) => number): TextChange[] {
  const old = readSyntax(before);
  const oldProblems = new Set(old.problems.map(({ tag }) => moved(tag.from)));
  const oldBlocks = new Set(old.blocks.map(({ open }) => moved(open.from)));
  const { blocks, problems } = readSyntax(after);
  const changes: TextChange[] = [];
  for (const { kind, tag } of problems) {
    if (kind === 'braces' || oldProblems.has(tag.from)) continue;
    const block = blocks.find(({ open }) => open.from === tag.from);
    if (kind === 'unclosed' && !oldBlocks.has(tag.from)) {
      const last = block?.middles.at(-1) ?? tag;
      changes.push({ from: last.to, insert: `{% end${tag.name} %}` });
    } else for (const { from, to } of [tag, ...(block?.middles ?? [])]) changes.push({ from, to });
  }
  return changes;
}
