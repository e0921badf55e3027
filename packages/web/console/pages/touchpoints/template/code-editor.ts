/** Folder: the editor of scripts and titles. */

import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { Annotation, EditorState, type Extension, StateEffect, StateField, type Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, WidgetType } from '@codemirror/view';
import { findPills, type Pill, TEMPLATE } from './pills.ts';
import { closeConditions, readSyntax } from './syntax.ts';

/** Part of the editor's own file, so that the console's style sheet does not grow. */
export const THEME = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.75', overflow: 'visible' },
  '.cm-content': { padding: '0', caretColor: 'var(--ink)', overflowWrap: 'anywhere' },
  '.cm-line': { padding: '0' },
  '.template-inside': { textDecoration: 'underline dotted var(--soft)', textUnderlineOffset: '4px' },
  '.template-code': { fontFamily: 'ui-monospace, monospace', fontSize: '0.9em' },
  '.template-problem': {
    borderRadius: '3px',
    background: 'color-mix(in srgb, var(--bad) 22%, transparent)',
    textDecoration: 'underline wavy var(--bad)',
  },
});

/** Marks a change that comes from outside, such as discarding the draft. */
const External = Annotation.define<boolean>();
const setMark = StateEffect.define<TextRange | null>();

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

class PillWidget extends WidgetType {
  readonly pill: Pill;
  readonly source: string;

  constructor(pill: Pill, source: string) {
    super();
    this.pill = pill;
    this.source = source;
  }

  override eq({ pill, source }: PillWidget): boolean {
    return source === this.source && pill.label === this.pill.label;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span');
    element.className = `pill pill-${this.pill.kind}`;
    element.textContent = this.pill.label;
    element.title = this.source;
    return element;
  }
}

interface Pills {
  readonly list: readonly Pill[];
  readonly decorations: DecorationSet;
  /** Ranges that the cursor skips. */
  readonly atoms: DecorationSet;
}

function readPills(state: EditorState, paths: readonly string[]): Pills {
  const text = state.doc.toString();
  const syntax = readSyntax(text);
  const { head } = state.selection.main;
  // A tag is text while it is typed.
  const list = findPills(text, paths, syntax).filter(({ from, to }) => head <= from || head >= to);
  const replacements = list.map((pill) =>
    Decoration.replace({ widget: new PillWidget(pill, text.slice(pill.from, pill.to)) }).range(pill.from, pill.to),
  );
  const shown = new Set(list.map(({ from }) => from));
  const code = syntax.tags
    .filter(({ from }) => !shown.has(from))
    .map(({ from, to }) => Decoration.mark({ class: 'template-code' }).range(from, to));
  const inside = syntax.blocks.flatMap(({ open, close }) =>
    close === null || close.from <= open.to
      ? []
      : [Decoration.mark({ class: 'template-inside' }).range(open.to, close.from)],
  );
  return {
    list,
    decorations: Decoration.set([...replacements, ...code, ...inside], true),
    atoms: Decoration.set(replacements, true),
  };
}

const pillsField = (paths: readonly string[]): StateField<Pills> =>
  StateField.define<Pills>({
    create: (state) => readPills(state, paths),
    update: (pills, { docChanged, selection, state }) =>
      docChanged || selection !== undefined ? readPills(state, paths) : pills,
    provide: (field) => [
      EditorView.decorations.from(field, ({ decorations }) => decorations),
      EditorView.atomicRanges.of((view) => view.state.field(field).atoms),
    ],
  });

const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects }) {
    let next = marks.map(changes);
    for (const effect of effects) {
      if (!effect.is(setMark)) continue;
      const range = effect.value;
      next =
        range === null || range.from >= range.to ? Decoration.none : Decoration.set(MARK.range(range.from, range.to));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const MARK = Decoration.mark({ class: 'template-problem' });

const isUnchecked = (tr: Transaction): boolean =>
  !tr.docChanged ||
  tr.annotation(External) === true ||
  ['input.paste', 'input.drop', 'undo', 'redo'].some((event) => tr.isUserEvent(event));

/** Typing and deleting leave no condition open. Pasted code is kept as it is, and marked. */
const closesConditions = EditorState.transactionFilter.of((tr) => {
  if (isUnchecked(tr)) return tr;
  const changes = closeConditions(tr.startState.doc.toString(), tr.newDoc.toString(), (at) => tr.changes.mapPos(at, 1));
  return changes.length === 0 ? tr : [tr, { changes, sequential: true }];
});

/** Joins the lines of pasted text. */
const staysOneLine = EditorState.transactionFilter.of((tr) => {
  if (!tr.docChanged || tr.newDoc.lines === 1) return tr;
  const changes = [...tr.newDoc.toString().matchAll(/\s*\n\s*/g)].map(({ 0: text, index }) => ({
    from: index,
    to: index + text.length,
    insert: ' ',
  }));
  return [tr, { changes, sequential: true }];
});

/** Completes the braces of a tag while it is typed. */
const closesBraces = EditorView.inputHandler.of((view, from, to, typed) => {
  if ((typed !== '{' && typed !== '%') || from === 0 || view.state.sliceDoc(from - 1, from) !== '{') return false;
  const close = typed === '{' ? ' }}' : ' %}';
  view.dispatch({
    changes: { from, to, insert: typed + close },
    selection: { anchor: from + 1 },
    userEvent: 'input.type',
  });
  return true;
});

/** Screen readers do not read a pill when the cursor passes it, or when it is deleted. */
const announcesPills = (field: StateField<Pills>) =>
  EditorState.transactionExtender.of((tr) => {
    const { list } = tr.startState.field(field);
    const from = tr.startState.selection.main.head;
    if (tr.docChanged && tr.isUserEvent('delete')) {
      const gone = list.filter((pill) => tr.changes.touchesRange(pill.from, pill.to) === 'cover');
      return gone.length === 0
        ? null
        : { effects: gone.map(({ label }) => EditorView.announce.of(TEMPLATE.deleted(label))) };
    }
    if (tr.docChanged || tr.selection === undefined) return null;
    const { head } = tr.selection.main;
    const passed = list.find((pill) => Math.min(from, head) === pill.from && Math.max(from, head) === pill.to);
    return passed === undefined ? null : { effects: EditorView.announce.of(passed.label) };
  });

export interface CodeEditorOptions {
  readonly parent: HTMLElement;
  readonly value: string;
  readonly paths: readonly string[];
  readonly oneLine: boolean;
  /** Read for every update, because React renders the attributes. */
  readonly attributes: () => Record<string, string>;
  readonly nonce: string;
  readonly onChange: (value: string) => void;
}

function extensionsFor(options: CodeEditorOptions): Extension[] {
  const pills = pillsField(options.paths);
  return [
    history(),
    keymap.of([...historyKeymap, ...standardKeymap]),
    EditorView.lineWrapping,
    EditorView.cspNonce.of(options.nonce),
    EditorView.contentAttributes.of(() => options.attributes()),
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const isExternal = transactions.some((tr) => tr.annotation(External) === true);
      if (docChanged && !isExternal) options.onChange(state.doc.toString());
    }),
    closesConditions,
    ...(options.oneLine ? [staysOneLine] : []),
    closesBraces,
    pills,
    announcesPills(pills),
    markField,
    THEME,
  ];
}

export type CodeEditor = ReturnType<typeof createCodeEditor>;

export function createCodeEditor(options: CodeEditorOptions) {
  const view = new EditorView({ parent: options.parent, doc: options.value, extensions: extensionsFor(options) });
  // Users continue to write at the end.
  view.dispatch({ selection: { anchor: view.state.doc.length } });
  // Unlike an input, the editor is not focused by its label.
  const label = document.getElementById(options.attributes()['aria-labelledby'] ?? '');
  const focus = () => view.focus();
  label?.addEventListener('click', focus);
  return {
    setValue(value: string) {
      const { doc } = view.state;
      if (doc.toString() === value.replace(/\r\n?/g, '\n')) return;
      view.dispatch({ changes: { from: 0, to: doc.length, insert: value }, annotations: External.of(true) });
    },
    mark: (range: TextRange | null) => view.dispatch({ effects: setMark.of(range) }),
    focus,
    /** Inserts at the cursor, around the selected text. */
    insert(before: string, after: string) {
      const { from, to } = view.state.selection.main;
      const chosen = view.state.sliceDoc(from, to);
      view.dispatch({
        changes: { from, to, insert: before + chosen + after },
        selection: { anchor: from + before.length + chosen.length },
        userEvent: 'input.complete',
      });
      view.focus();
    },
    /** Reads the attributes again. */
    refresh: () => view.dispatch({}),
    destroy() {
      label?.removeEventListener('click', focus);
      view.destroy();
    },
  };
}
