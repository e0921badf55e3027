import { type RefObject, useEffect, useRef, useState } from 'react';
import { loadWhenReachable } from '../../../api.ts';
import type { CodeEditor, CodeEditorOptions, TextRange } from './code-editor.ts';

type Module = typeof import('./code-editor.ts');

/** Shared by all fields of a page. A failed load can be tried again. */
let loading: Promise<Module> | undefined;
function loadCodeEditor(): Promise<Module> {
  loading ??= loadWhenReachable(() => import('./code-editor.ts')).catch((problem: unknown) => {
    loading = undefined;
    throw problem;
  });
  return loading;
}

export type EditorState = 'loading' | 'ready' | 'failed';

interface Wanted extends Pick<CodeEditorOptions, 'value' | 'paths' | 'oneLine' | 'onChange'> {
  readonly attributes: Record<string, string>;
  readonly mark: TextRange | null;
  /** Moves the focus to the end of the text when the editor is ready. */
  readonly autoFocus: boolean;
}

/** Creates the editor in the returned element, and keeps it equal to the properties. */
export function useCodeEditor(wanted: Wanted) {
  const { value, mark, attributes } = wanted;
  const parent: RefObject<HTMLDivElement | null> = useRef(null);
  const editor: RefObject<CodeEditor | null> = useRef(null);
  const [state, setState] = useState<EditorState>('loading');
  const latest = useRef(wanted);
  useEffect(() => {
    latest.current = wanted;
  });

  useEffect(() => {
    let ended = false;
    void loadCodeEditor().then(
      ({ createCodeEditor }) => {
        if (ended || parent.current === null) return;
        const { value: first, paths, oneLine } = latest.current;
        editor.current = createCodeEditor({
          parent: parent.current,
          value: first,
          paths,
          oneLine,
          attributes: () => latest.current.attributes,
          nonce: document.getElementById('style')?.nonce ?? '',
          onChange: (text) => latest.current.onChange(text),
        });
        setState('ready');
        if (latest.current.autoFocus) editor.current.select({ from: first.length, to: first.length });
      },
      () => ended || setState('failed'),
    );
    return () => {
      ended = true;
      editor.current?.destroy();
      editor.current = null;
      setState('loading');
    };
  }, []);

  const isReady = state === 'ready';
  // biome-ignore lint/correctness/useExhaustiveDependencies: also after the editor was created
  useEffect(() => editor.current?.setValue(value), [value, isReady]);
  const [from, to] = [mark?.from ?? 0, mark?.to ?? 0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: also after the editor was created
  useEffect(() => editor.current?.mark({ from, to }), [from, to, isReady]);
  const rendered = JSON.stringify(attributes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor reads the attributes itself
  useEffect(() => editor.current?.refresh(), [rendered]);

  return { parent, editor, state };
}
