import { EditorView } from '@codemirror/view';

/** Part of the editor's own file, so that the console's style sheet does not grow. */
export const THEME = EditorView.theme({
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'inherit', lineHeight: '1.75', overflow: 'visible' },
  '.cm-content': { padding: '0', caretColor: 'var(--ink)', overflowWrap: 'anywhere' },
  '.cm-line': { padding: '0' },
  '.pill': {
    display: 'inline-block',
    maxWidth: '100%',
    padding: '0 9px',
    border: '1px solid color-mix(in srgb, var(--accent-text) 35%, var(--line))',
    borderRadius: '999px',
    background: 'var(--tint)',
    color: 'var(--ink)',
    fontSize: 'var(--small)',
    lineHeight: '1.45',
    verticalAlign: 'baseline',
    cursor: 'default',
  },
  '.pill-condition': { border: '1px dashed var(--soft)', borderRadius: '6px', background: 'transparent' },
  '.template-inside': { textDecoration: 'underline dotted var(--soft)', textUnderlineOffset: '4px' },
  '.template-code': { fontFamily: 'ui-monospace, monospace', fontSize: '0.9em' },
  '.template-problem': {
    borderRadius: '3px',
    background: 'color-mix(in srgb, var(--bad) 22%, transparent)',
    textDecoration: 'underline wavy var(--bad)',
  },
});
