import { Toolbar } from '@base-ui/react/toolbar';
import type { TouchpointDetail } from '@foreword/contract';
import { Fragment, type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { loadWhenReachable } from '../../api.ts';
import { useDebounced } from '../../hooks.ts';
import { Field, TextArea, useControl } from '../../parts/form.tsx';
import { Menu } from '../../parts/overlays.tsx';
import type { CodeEditor, CodeEditorOptions, TextRange } from './template/code-editor.ts';
import { TEMPLATE, tagLabel, VARIABLES } from './template/pills.ts';
import { readSyntax } from './template/syntax.ts';

type Module = typeof import('./template/code-editor.ts');

/** Shared by all fields of a page. A failed load can be tried again. */
let loading: Promise<Module> | undefined;
function loadCodeEditor(): Promise<Module> {
  loading ??= loadWhenReachable(() => import('./template/code-editor.ts')).catch((problem: unknown) => {
    loading = undefined;
    throw problem;
  });
  return loading;
}

type EditorState = 'loading' | 'ready' | 'failed';

interface Wanted extends Pick<CodeEditorOptions, 'value' | 'paths' | 'oneLine' | 'onChange'> {
  readonly attributes: Record<string, string>;
  readonly mark: TextRange | null;
  /** Moves the focus to the end of the text when the editor is ready. */
  readonly autoFocus: boolean;
}

/** Creates the editor in the returned element, and keeps it equal to the properties. */
function useCodeEditor(wanted: Wanted) {
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
        // Before the next frame, in which the editor would be below the placeholder.
        flushSync(() => setState('ready'));
        if (latest.current.autoFocus) editor.current.focus();
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

const [BEFORE, AFTER] = ['{% if appointment %} ', ' {% endif %}'];
const TYPING_PAUSE_MS = 400;

/** The methods of both views that the buttons call. */
interface TemplateInput {
  insert(before: string, after: string): void;
}

interface ViewProps {
  value: string;
  onChange: (value: string) => void;
  rows: number;
  oneLine: boolean;
  input: RefObject<TemplateInput | null>;
}

/** The template as it is stored. */
function RawView({ value, onChange, rows, oneLine, input }: ViewProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(input, () => ({
    insert(before, after) {
      const field = area.current;
      if (field === null) return;
      const { selectionStart: from, selectionEnd: to } = field;
      const chosen = field.value.slice(from, to);
      field.focus();
      // Unlike setting a new value, this keeps the browser's undo history.
      document.execCommand('insertText', false, before + chosen + after);
      const caret = from + before.length + chosen.length;
      field.setSelectionRange(caret, caret);
    },
  }));
  return (
    <TextArea
      ref={area}
      rows={rows}
      value={value}
      spellCheck
      onChange={(text) => onChange(oneLine ? text.replace(/\s*\n\s*/g, ' ') : text)}
    />
  );
}

interface PillViewProps extends ViewProps {
  paths: readonly string[];
  /** The part of the text that has a problem. */
  mark: TextRange | null;
  autoFocus: boolean;
}

/** The template with variables and conditions as pills. Until the editor is loaded, and if it can't be, the raw view. */
function PillView({ paths, mark, autoFocus, ...view }: PillViewProps) {
  const { value, onChange, rows, oneLine, input } = view;
  const control = useControl();
  const attributes: Record<string, string> = {
    id: control.id ?? '',
    'aria-labelledby': `${control.id}-label`,
    'aria-multiline': String(!oneLine),
    spellcheck: 'true',
    autocapitalize: 'sentences',
    autocorrect: 'on',
    ...(control['aria-describedby'] !== undefined && { 'aria-describedby': control['aria-describedby'] }),
    ...(control['aria-invalid'] && { 'aria-invalid': 'true' }),
    ...(control['aria-required'] && { 'aria-required': 'true' }),
  };
  const { parent, editor, state } = useCodeEditor({ value, onChange, paths, oneLine, attributes, mark, autoFocus });
  // The raw view that replaces a failed editor sets its own.
  useImperativeHandle(state === 'failed' ? null : input, () => ({
    insert: (before, after) => editor.current?.insert(before, after),
  }));
  if (state === 'failed') return <RawView {...view} />;
  return (
    <div
      ref={parent}
      className={control['aria-invalid'] ? 'input template-editor template-bad' : 'input template-editor'}
      style={{ minHeight: `calc(${rows} * 1.75rem + 20px)` }}
      aria-busy={state === 'loading'}
    >
      {state === 'loading' && (
        // As tall as the text in the editor, so that nothing moves.
        <p className="soft">
          <span className="sr">{TEMPLATE.loading}</span>
          <Pills text={value} />
        </p>
      )}
    </div>
  );
}

interface TemplateFieldProps {
  label: string;
  hint?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  variables: TouchpointDetail['variables'];
  /** The server's reason why it can't be saved. */
  error?: string | undefined;
  /** The line of the error, which is highlighted. */
  line?: number | null;
  rows?: number;
  oneLine?: boolean;
  autoFocus?: boolean;
}

interface Found {
  readonly error: string;
  readonly range: TextRange | null;
}

function lineRange(value: string, line: number): TextRange {
  const lines = value.split('\n');
  const from = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  return { from, to: from + (lines[line - 1]?.length ?? 0) };
}

/** The first tag without its counterpart, which has a position; otherwise the server's problem, which has a line. */
function findProblem(value: string, error: string | undefined, line: number | null): Found | null {
  const [problem] = readSyntax(value).problems;
  if (problem !== undefined) {
    const { kind, tag } = problem;
    const number = value.slice(0, tag.from).split('\n').length;
    const text = TEMPLATE[kind](value.slice(tag.from, tag.to));
    return { error: `${TEMPLATE.line(number)}: ${text}`, range: { from: tag.from, to: tag.to } };
  }
  if (error === undefined) return null;
  return { error, range: line === null ? null : lineRange(value, line) };
}

interface InsertButtonsProps {
  label: string;
  variables: TouchpointDetail['variables'];
  onInsert: (before: string, after: string) => void;
}

/** Appear once the field has the focus. Pressing one keeps the focus in the text, also in Safari, where buttons get none. */
const InsertButtons = ({ label, variables, onInsert }: InsertButtonsProps) => (
  <Toolbar.Root
    className="wrap gap-8 chips"
    aria-label={TEMPLATE.insert(label)}
    onMouseDown={(event) => event.preventDefault()}
  >
    {variables.map(({ path, says }) => (
      <Toolbar.Button key={path} className="chip" title={says} onClick={() => onInsert(`{{ ${path} }}`, '')}>
        {VARIABLES[path] ?? path}
      </Toolbar.Button>
    ))}
  </Toolbar.Root>
);

/** A stored template with pills in place of its tags. */
export const Pills = ({ text }: { text: string }) => {
  const { tags } = readSyntax(text);
  const ends = [0, ...tags.map(({ to }) => to)];
  return (
    <>
      {tags.map((tag, index) => (
        <Fragment key={tag.from}>
          {text.slice(ends[index], tag.from)}
          <span className={tag.kind === 'output' ? 'pill' : 'pill pill-condition'}>{tagLabel(tag)}</span>
        </Fragment>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
};

/** A template editor with two views of the same text, and buttons that insert variables at the cursor. */
export function TemplateField(props: TemplateFieldProps) {
  const { label, hint, value, onChange, variables, error, line = null, rows = 6, oneLine = false } = props;
  const { autoFocus = false } = props;
  const input = useRef<TemplateInput>(null);
  const [isRaw, setRaw] = useState(false);
  // Stays true: buttons that go away when the focus leaves would move what is being clicked.
  const [isUsed, setUsed] = useState(false);
  const settled = useDebounced(value, TYPING_PAUSE_MS);
  const problem = findProblem(settled, error, line);
  // A range of earlier text would mark the wrong place.
  const mark = settled === value ? (problem?.range ?? null) : null;
  const view = { value, onChange, rows, oneLine, input };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices the focus.
    <div className="grid gap-12 template" onFocus={() => setUsed(true)}>
      <Field label={label} hint={hint} error={problem?.error}>
        {isRaw ? (
          <RawView {...view} />
        ) : (
          <PillView {...view} paths={variables.map(({ path }) => path)} mark={mark} autoFocus={autoFocus} />
        )}
      </Field>
      {isUsed && (
        <InsertButtons
          label={label}
          variables={variables}
          onInsert={(before, after) => input.current?.insert(before, after)}
        />
      )}
      <div className="template-menu">
        <Menu
          label={TEMPLATE.moreOf(label)}
          items={[
            {
              label: 'If appointment',
              hint: 'Leaves out the enclosed text when there is no appointment.',
              run: () => input.current?.insert(BEFORE, AFTER),
            },
            { label: isRaw ? TEMPLATE.pills : TEMPLATE.raw, run: () => setRaw(!isRaw) },
          ]}
        />
      </div>
    </div>
  );
}
