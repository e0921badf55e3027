import type { ConsoleResponse, ImportPreview } from '@foreword/contract';
import { IMPORT_MAX_CHARACTERS } from '@foreword/contract/plain';
import { type FormEvent, useState } from 'react';
import { ApiFailure, call, fieldProblem, otherProblem } from '../../api.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { FilePicker } from '../../parts/file-picker.tsx';
import { Field, TextArea } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { useAction } from '../../queries.ts';
import { ImportPreviewStep } from './import-preview.tsx';
import { IMPORT, MEMBERS } from './texts.ts';

type Done = ConsoleResponse<'POST /members/import'>;

/** Three steps: file contents, review, result. Nothing is saved before the user confirms the review. */
export function MembersImportPage() {
  const [text, setText] = useState('');
  const [preview, setPreview] = useState<ImportPreview | null>(null);
  const [isOutdated, setOutdated] = useState(false);
  const [done, setDone] = useState<Done | null>(null);
  const review = useAction({
    run: () => call('POST /members/import/preview', { body: { text } }),
    showsFailure: true,
    onDone: setPreview,
  });
  const save = useAction({
    run: (skip_problems: boolean) =>
      call('POST /members/import', { body: { text, fingerprint: preview?.fingerprint ?? '', skip_problems } }),
    topics: ['members'],
    showsFailure: true,
    onDone: setDone,
  });
  const back = () => {
    setPreview(null);
    setOutdated(false);
    save.reset();
  };
  async function confirm(skipProblems: boolean): Promise<void> {
    try {
      await save.mutateAsync(skipProblems);
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'edit_conflict') return;
      setOutdated(true);
      save.reset();
      review.mutate();
    }
  }
  const again = () => {
    setText('');
    setDone(null);
    back();
    review.reset();
  };
  return (
    <>
      <PageHeader title={IMPORT.title} lead={IMPORT.lead} back={{ to: '/members', name: MEMBERS.title }} />
      {done !== null ? (
        <ImportDone done={done} again={again} />
      ) : preview === null ? (
        <ImportText
          text={text}
          onChange={setText}
          onReview={() => review.mutate()}
          busy={review.isPending}
          error={review.error}
        />
      ) : (
        <ImportPreviewStep
          key={preview.fingerprint}
          preview={preview}
          isOutdated={isOutdated}
          busy={save.isPending || review.isPending}
          error={save.error ?? review.error}
          onBack={back}
          onConfirm={(skip) => void confirm(skip)}
        />
      )}
      <UnsavedChanges when={text !== '' && done === null} />
    </>
  );
}

const ImportDone = ({ done, again }: { done: Done; again: () => void }) => (
  <div role="status">
    <EmptyState
      icon="check"
      title={IMPORT.doneTitle}
      action={
        <div className="form-actions">
          <Button kind="quiet" onClick={again}>
            {IMPORT.another}
          </Button>
          <LinkButton to="/members">{IMPORT.toMembers}</LinkButton>
        </div>
      }
    >
      {IMPORT.done(done)}
    </EmptyState>
  </div>
);

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

function ImportText({ text, onChange, onReview, busy, error }: ImportTextProps) {
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
        <div className="wrap middle import-file">
          <FilePicker
            label={IMPORT.file}
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            onChoose={(file) => void choose(file)}
          />
          <span className="lead">{IMPORT.or}</span>
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
