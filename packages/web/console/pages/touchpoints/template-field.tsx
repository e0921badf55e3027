import { Toolbar } from '@base-ui/react/toolbar';
import type { TouchpointDetail } from '@foreword/contract';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { TextArea } from '../../parts/input.tsx';
import { CONDITION, TOUCHPOINT, VARIABLES } from '../../texts/touchpoints.ts';

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
  children?: ReactNode;
}

const [BEFORE, AFTER] = ['{% if appointment %} ', ' {% endif %}'];

/** Unlike setting a new value, this keeps the browser's undo history. */
function insert(area: HTMLTextAreaElement, text: string): void {
  document.execCommand('insertText', false, text);
  area.focus();
}

/** A transparent copy of the text behind the input, of which only the highlight is visible. */
function LineMark({ value, line }: { value: string; line: number }) {
  const lines = value.split('\n');
  return (
    <div className="input textarea template-mark" aria-hidden="true">
      {lines.slice(0, line - 1).map((text) => `${text}\n`)}
      <mark>{lines[line - 1] === '' ? ' ' : lines[line - 1]}</mark>
      {lines.slice(line).map((text) => `\n${text}`)}
    </div>
  );
}

/** A template editor with buttons that insert variables at the cursor. */
export function TemplateField(props: TemplateFieldProps) {
  const { label, hint, value, onChange, variables, error, line = null, rows = 6, oneLine = false, children } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const wasFocused = useRef(false);

  function insertAtCursor(before: string, after = ''): void {
    const field = area.current;
    if (field === null) return;
    const end = field.value.length;
    const [from, to] = wasFocused.current ? [field.selectionStart, field.selectionEnd] : [end, end];
    field.focus();
    field.setSelectionRange(from, to);
    const chosen = field.value.slice(from, to);
    insert(field, before + chosen + after);
    const caret = from + before.length + chosen.length;
    field.setSelectionRange(caret, caret);
  }

  function goToLine(number: number): void {
    const lines = value.split('\n');
    const start = lines.slice(0, number - 1).reduce((sum, text) => sum + text.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[number - 1]?.length ?? 0));
  }

  const isMarked = line !== null && error !== undefined && !oneLine;
  return (
    <div className="template">
      <Field label={label} hint={hint} error={error}>
        <div className="template-area">
          {isMarked && <LineMark value={value} line={line} />}
          <TextArea
            ref={area}
            rows={rows}
            value={value}
            spellCheck
            onFocus={() => {
              wasFocused.current = true;
            }}
            onChange={(text) => onChange(oneLine ? text.replace(/\s*\n\s*/g, ' ') : text)}
          />
        </div>
      </Field>
      {isMarked && (
        <div>
          <Button kind="quiet" small onClick={() => goToLine(line)}>
            {TOUCHPOINT.goToLine(line)}
          </Button>
        </div>
      )}
      <Toolbar.Root className="chips" aria-label={TOUCHPOINT.insert(label)}>
        {variables.map(({ path, says }) => (
          <Toolbar.Button key={path} className="chip" title={says} onClick={() => insertAtCursor(`{{ ${path} }}`)}>
            {VARIABLES[path] ?? path}
          </Toolbar.Button>
        ))}
        <Toolbar.Button
          className="chip chip-around"
          title={CONDITION.description}
          onClick={() => insertAtCursor(BEFORE, AFTER)}
        >
          {CONDITION.label}
        </Toolbar.Button>
      </Toolbar.Root>
      {children}
    </div>
  );
}
