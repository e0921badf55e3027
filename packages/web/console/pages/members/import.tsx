import type { ConsoleBody, ConsoleResponse, ImportField, ImportLine, ImportPreview } from '@foreword/contract';
import { IMPORT_MAX_CHARACTERS } from '@foreword/contract/plain';
import { decodeText } from '@foreword/contract/plain/decode-text';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiFailure, call, fieldProblem, otherProblem } from '../../api.ts';
import { capitalize, formatCount, formatList, formatNumber } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Badge, Card, Notice, PageHeader, type Tone } from '../../parts/display.tsx';
import { FilePicker } from '../../parts/file-picker.tsx';
import { Checkbox, Field, FormProblem, TextArea } from '../../parts/form.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { useAction } from '../../queries.ts';
import { NAV } from '../../texts.ts';
import { FIELDS } from './fields.ts';
import { ADD } from './texts.ts';

const FIELD_NAMES: Record<ImportField, string> = { ...FIELDS, phone: 'Phone' };

type Counts = { readonly add: number; readonly change: number; readonly same: number; readonly problem: number };

const willDo = ({ add, change, problem }: Counts): string =>
  formatList([
    ...(add > 0 ? [`add ${formatCount(add, 'member')}`] : []),
    ...(change > 0 ? [`change ${formatNumber(change)}`] : []),
    ...(problem > 0 ? [`skip ${formatCount(problem, 'row')}`] : []),
  ]);

const IMPORT = {
  lead: 'From a spreadsheet saved as CSV. You can review every change before it is saved.',
  placeholder: 'first_name,last_name,email,phone,external_id\nAna,Ng,ana@acme.example,(415) 555-0117,rep_17',
  columns:
    'First name, last name, email, phone, external ID, lanes, role, title, and title in Spanish, in any order. Members are matched by external ID, then by email. Empty cells change nothing.',
  unreadable: 'The file couldn’t be read as text. Save it as CSV (UTF-8) and choose it again.',
  tooLarge: 'The file is too large. Import at most 10,000 rows at a time.',
  review: 'Review changes',
  counts: (counts: Counts) =>
    formatList([
      ...(counts.add > 0 ? [`${formatNumber(counts.add)} to add`] : []),
      ...(counts.change > 0 ? [`${formatNumber(counts.change)} to change`] : []),
      ...(counts.same > 0 ? [`${formatNumber(counts.same)} unchanged`] : []),
      ...(counts.problem > 0 ? [`${formatNumber(counts.problem)} with errors`] : []),
    ]),
  outcomes: { add: 'Add', change: 'Change', same: 'No change', problem: 'Error' },
  fieldName: (field: ImportField) => FIELD_NAMES[field],
  valueOf: (field: ImportField, value: string | null) => {
    if (value === null) return 'not set';
    if (field === 'lanes') return value === '' ? 'all lanes' : value;
    return value;
  },
  changed: (field: string, from: string, to: string) => `${field}: ${from} → ${to}`,
  problem: (field: string | null, message: string) => (field === null ? message : `${field}: ${message}`),
  ignored: (headings: readonly string[]) =>
    `Ignored columns: ${formatList(headings.map((heading) => `“${heading}”`))}.`,
  problemsLead: 'Fix them in your file and review it again, or skip them and import the rest. Nothing is saved yet.',
  action: (counts: Counts) => capitalize(willDo(counts)),
  outdated: 'The team has changed since your last review. Review the updated changes.',
  welcomeHint: 'To each new member with a number. They try the recorder once, with a made-up customer.',
  done: ({ added, changed, same, skipped }: { added: number; changed: number; same: number; skipped: number }) =>
    capitalize(
      formatList([
        ...(added > 0 ? [`${formatNumber(added)} added`] : []),
        ...(changed > 0 ? [`${formatNumber(changed)} changed`] : []),
        ...(same > 0 ? [`${formatNumber(same)} unchanged`] : []),
        ...(skipped > 0 ? [`${formatNumber(skipped)} skipped`] : []),
      ]),
    ),
} as const;

type Done = ConsoleResponse<'POST /members/import'>;
type Chosen = Pick<ConsoleBody<'POST /members/import'>, 'skip_problems' | 'welcome'>;

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
    run: (chosen: Chosen) =>
      call('POST /members/import', { body: { text, fingerprint: preview?.fingerprint ?? '', ...chosen } }),
    topics: ['members'],
    showsFailure: true,
    onDone: setDone,
  });
  const back = () => {
    setPreview(null);
    setOutdated(false);
    save.reset();
  };
  async function confirm(chosen: Chosen): Promise<void> {
    try {
      await save.mutateAsync(chosen);
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
      <PageHeader title="Import members" lead={IMPORT.lead} back={{ to: '/members', name: NAV.members }} />
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
          onConfirm={(chosen) => void confirm(chosen)}
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
      title="Import finished"
      action={
        <div className="form-actions">
          <Button kind="quiet" onClick={again} label="Import another file" />
          <LinkButton to="/members" label="Go to members" />
        </div>
      }
    >
      {IMPORT.done(done)}
    </EmptyState>
  </div>
);

/** Larger files are rejected before they are read. */
const MAX_BYTES = 12_000_000;

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
      const content = decodeText(new Uint8Array(await file.arrayBuffer()));
      if (content.includes('\u0000')) setProblem(IMPORT.unreadable);
      else onChange(content);
    } catch {
      setProblem(IMPORT.unreadable);
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const found =
      text.trim() === ''
        ? 'Choose a file or paste rows first.'
        : text.length > IMPORT_MAX_CHARACTERS
          ? IMPORT.tooLarge
          : null;
    setProblem(found);
    if (found === null) onReview();
  };
  return (
    <Card title="Supported columns" lead={IMPORT.columns}>
      <form noValidate className="stack" onSubmit={submit}>
        <div className="wrap middle gap-12">
          <FilePicker
            label="Choose a file"
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            onChoose={(file) => void choose(file)}
          />
          <span className="lead">or paste the rows here</span>
        </div>
        <Field
          label="File contents"
          hint="The first row must name the columns. Up to 10,000 rows."
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
        <Button type="submit" busy={busy} label={busy ? 'Reading the file' : IMPORT.review} />
      </form>
    </Card>
  );
}

const TONES: Partial<Record<ImportLine['outcome'], Tone>> = { add: 'good', change: 'info', problem: 'bad' };

interface PreviewProps {
  preview: ImportPreview;
  /** The team changed after the last review, so this preview is a new one. */
  isOutdated: boolean;
  busy: boolean;
  error: unknown;
  onBack: () => void;
  onConfirm: (chosen: Chosen) => void;
}

const addsPhone = ({ outcome, changes }: ImportLine): boolean =>
  outcome === 'add' && changes.some(({ field, to }) => field === 'phone' && to !== null);

/** Lists rows with errors first, then changes. */
const ORDER: readonly ImportLine['outcome'][] = ['problem', 'change', 'add', 'same'];

/** The button says what will change, and how many rows are skipped because of errors. */
function ImportPreviewStep({ preview, isOutdated, busy, error, onBack, onConfirm }: PreviewProps) {
  const { counts, lines, columns } = preview;
  const hasWork = counts.add + counts.change > 0;
  const hasProblems = counts.problem > 0;
  const [welcome, setWelcome] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // This step replaces the previous one, so screen readers and keyboards start at its heading.
  useEffect(() => heading.current?.focus(), []);
  const ignored = columns.filter(({ field, heading: name }) => field === null && name !== '').map((one) => one.heading);
  return (
    <section className="stack">
      <div>
        <h2 ref={heading} tabIndex={-1}>
          {IMPORT.review}
        </h2>
        <p className="lead">
          {IMPORT.counts(counts)}. {ignored.length > 0 && IMPORT.ignored(ignored)}
        </p>
      </div>
      {isOutdated && (
        <Notice tone="warn" live>
          {IMPORT.outdated}
        </Notice>
      )}
      {hasProblems && (
        <Notice tone="warn" title={`${formatCount(counts.problem, 'row')} can’t be imported`}>
          {IMPORT.problemsLead}
        </Notice>
      )}
      {!hasWork && !hasProblems && <Notice>There is nothing to import: no row adds or changes a member.</Notice>}
      {hasWork && lines.some(addsPhone) && (
        <Checkbox label={ADD.welcome} hint={IMPORT.welcomeHint} checked={welcome} onChange={setWelcome} />
      )}
      <FormProblem error={error} fields={[]} />
      <div className="form-actions">
        <Button kind={hasWork ? 'quiet' : 'primary'} onClick={onBack} label="Back" />
        {hasWork && (
          <Button
            busy={busy}
            onClick={() => onConfirm({ skip_problems: hasProblems, welcome })}
            label={IMPORT.action(counts)}
          />
        )}
      </div>
      <List
        label="Rows"
        rows={[...lines]
          .sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome))
          .map((row) => ({ ...row, id: String(row.line) }))}
        render={(line) => <LineRow line={line} />}
      />
    </section>
  );
}

function describe({ outcome, email, changes, problem }: ImportLine): string {
  if (problem !== null) {
    return IMPORT.problem(problem.field === null ? null : IMPORT.fieldName(problem.field), problem.message);
  }
  const parts = changes.map(({ field, from, to }) => {
    const [name, next] = [IMPORT.fieldName(field), IMPORT.valueOf(field, to)];
    return outcome === 'add' ? `${name}: ${next}` : IMPORT.changed(name, IMPORT.valueOf(field, from), next);
  });
  return (outcome === 'change' ? parts : [email, ...parts]).join(' · ');
}

function LineRow({ line }: { line: ImportLine }) {
  const tone = TONES[line.outcome];
  return (
    <div className="row">
      <span className="hint">Row {line.line}</span>
      <span className="row-text">
        <span className="medium">{line.name === '' ? line.email || 'No name' : line.name}</span>
        <span className={line.problem === null ? 'hint' : 'hint bad-text'}>{describe(line)}</span>
      </span>
      <Badge tone={tone}>{IMPORT.outcomes[line.outcome]}</Badge>
    </div>
  );
}
