import type { ImportLine, ImportPreview } from '@foreword/contract';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Badge, Notice, type Tone } from '../../parts/display.tsx';
import { Field, FormProblem, RadioGroup, Segmented } from '../../parts/form.tsx';
import { List } from '../../parts/list.tsx';
import { IMPORT } from './texts.ts';

const ROW_HEIGHT = 76;
const TONES: Partial<Record<ImportLine['outcome'], Tone>> = { add: 'good', change: 'info', problem: 'bad' };

interface PreviewProps {
  preview: ImportPreview;
  /** The team changed after the last review, so this preview is a new one. */
  isOutdated: boolean;
  busy: boolean;
  error: unknown;
  onBack: () => void;
  onConfirm: (skipProblems: boolean) => void;
}

type Filter = 'all' | 'problem' | 'add' | 'change';

export function ImportPreviewStep({ preview, isOutdated, busy, error, onBack, onConfirm }: PreviewProps) {
  const { counts, lines, columns } = preview;
  const [filter, setFilter] = useState<Filter>(counts.problem > 0 ? 'problem' : 'all');
  const [choice, setChoice] = useState<'fix' | 'skip'>('fix');
  const heading = useRef<HTMLHeadingElement>(null);
  // This step replaces the previous one, so screen readers and keyboards start at its heading.
  useEffect(() => heading.current?.focus(), []);
  const shown = filter === 'all' ? lines : lines.filter(({ outcome }) => outcome === filter);
  const ignored = columns.filter(({ field, heading: name }) => field === null && name !== '').map((one) => one.heading);
  const filters = IMPORT.filters(counts).map(({ value, label, count }) => ({
    value,
    label: IMPORT.filterName(label, count),
  }));
  return (
    <section className="stack">
      <div>
        <h2 ref={heading} tabIndex={-1}>
          {IMPORT.previewTitle}
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
      <Confirmation
        counts={counts}
        choice={choice}
        onChoice={setChoice}
        busy={busy}
        error={error}
        onBack={onBack}
        onConfirm={onConfirm}
      />
      {filters.length > 1 && (
        <div>
          <Segmented value={filter} options={filters} onChange={setFilter} label={IMPORT.filter} />
        </div>
      )}
      <List
        key={filter}
        label={IMPORT.lines}
        rows={shown}
        keyOf={({ line }) => String(line)}
        render={(line) => <LineRow line={line} />}
        rowHeight={ROW_HEIGHT}
      />
    </section>
  );
}

interface ConfirmationProps extends Omit<PreviewProps, 'preview' | 'isOutdated'> {
  counts: ImportPreview['counts'];
  choice: 'fix' | 'skip';
  onChoice: (choice: 'fix' | 'skip') => void;
}

/** The button says what will change. Rows with errors are skipped only if the user chooses that. */
function Confirmation({ counts, choice, onChoice, busy, error, onBack, onConfirm }: ConfirmationProps) {
  const hasWork = counts.add + counts.change > 0;
  const hasProblems = counts.problem > 0;
  const canImport = hasWork && (!hasProblems || choice === 'skip');
  return (
    <>
      {hasProblems && (
        <Notice tone="warn" title={IMPORT.problemsTitle(counts.problem)}>
          {IMPORT.problemsLead}
        </Notice>
      )}
      {!hasWork && !hasProblems && <Notice>{IMPORT.nothing}</Notice>}
      {hasProblems && hasWork && (
        <Field label={IMPORT.choice} group>
          <RadioGroup
            value={choice}
            options={[
              { value: 'fix', label: IMPORT.fix, hint: IMPORT.fixHint },
              { value: 'skip', label: IMPORT.skip, hint: IMPORT.skipHint(counts.problem) },
            ]}
            onChange={onChoice}
          />
        </Field>
      )}
      <FormProblem error={error} fields={[]} />
      <div className="form-actions">
        <Button kind={canImport ? 'quiet' : 'primary'} onClick={onBack}>
          {IMPORT.back}
        </Button>
        {canImport && (
          <Button busy={busy} onClick={() => onConfirm(hasProblems)}>
            {IMPORT.action(counts)}
          </Button>
        )}
      </div>
    </>
  );
}

function describe({ outcome, email, changes, problem }: ImportLine): string {
  if (problem !== null) {
    return IMPORT.problem(problem.field === null ? null : IMPORT.fieldName(problem.field), problem.message);
  }
  const parts = changes.map(({ field, from, to }) => {
    const [name, next] = [IMPORT.fieldName(field), IMPORT.valueOf(field, to)];
    return outcome === 'add' ? IMPORT.set(name, next) : IMPORT.changed(name, IMPORT.valueOf(field, from), next);
  });
  return (outcome === 'change' ? parts : [email, ...parts]).join(' · ');
}

function LineRow({ line }: { line: ImportLine }) {
  const tone = TONES[line.outcome];
  return (
    <div className="row import-line">
      <span className="import-number">{IMPORT.line(line.line)}</span>
      <span className="row-text">
        <span className="medium">{line.name === '' ? line.email || IMPORT.nameless : line.name}</span>
        <span className={line.problem === null ? 'hint' : 'hint import-problem'}>{describe(line)}</span>
      </span>
      <Badge tone={tone}>{IMPORT.outcome(line.outcome)}</Badge>
    </div>
  );
}
