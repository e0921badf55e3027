import { IMPORT_MAX_CHARACTERS } from '@foreword/contract/plain';
import { type FormEvent, useState } from 'react';
import { fieldProblem, otherProblem } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Field } from '../../parts/field.tsx';
import { TextArea } from '../../parts/input.tsx';
import { IMPORT } from '../../texts/members.ts';
import { FilePicker } from './file-picker.tsx';

/** Larger files are rejected before they are read. */
const MAX_BYTES = 12_000_000;

/** Spreadsheets save as UTF-8, UTF-16 ("Unicode" on Windows), or Windows-1252. */
async function readText(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

interface ImportTextProps {
  text: string;
  onChange: (text: string) => void;
  onReview: () => void;
  busy: boolean;
  error: unknown;
}

export function ImportText({ text, onChange, onReview, busy, error }: ImportTextProps) {
  const [problem, setProblem] = useState<string | null>(null);
  async function choose(file: File): Promise<void> {
    setProblem(null);
    if (file.size > MAX_BYTES) return setProblem(IMPORT.tooLarge);
    try {
      const content = await readText(file);
      if (content.includes('\u0000')) setProblem(IMPORT.unreadable);
      else onChange(content);
    } catch {
      setProblem(IMPORT.unreadable);
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const found = text.trim() === '' ? IMPORT.empty : text.length > IMPORT_MAX_CHARACTERS ? IMPORT.tooLarge : null;
    setProblem(found);
    if (found === null) onReview();
  };
  return (
    <Card title={IMPORT.columnsTitle} lead={IMPORT.columns}>
      <form noValidate className="form" onSubmit={submit}>
        <div className="import-file">
          <FilePicker
            label={IMPORT.file}
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            onChoose={(file) => void choose(file)}
          />
          <span className="member-soft">{IMPORT.or}</span>
        </div>
        <Field
          label={IMPORT.text}
          hint={IMPORT.textHint}
          error={problem ?? fieldProblem(error, 'text') ?? otherProblem(error, ['text'])}
        >
          <TextArea
            className="import-text"
            value={text}
            onChange={onChange}
            rows={10}
            wrap="off"
            spellCheck={false}
            placeholder={IMPORT.placeholder}
          />
        </Field>
        <div className="form-actions">
          <Button type="submit" busy={busy}>
            {busy ? IMPORT.reviewing : IMPORT.review}
          </Button>
        </div>
      </form>
    </Card>
  );
}
