import type { ScriptResults, ScriptVersion, TouchpointDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { formatDuration, formatNumber } from '../../format.ts';
import { DialogButton } from '../../parts/actions.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Badge, Card, Notice } from '../../parts/display.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { type Column, Count, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { Pills } from './template-field.tsx';
import { MIN_TO_COMPARE, SCRIPT_RESULTS } from './texts.ts';

/** Part of a text; `changed` if the other text does not have it. */
interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

/** Tags are one word each. */
const wordsOf = (text: string): string[] => text.match(/\{\{.*?\}\}|\{%.*?%\}|\s+|[^\s{]+|\{/g) ?? [];

/** The length of the longest common subsequence from each pair of positions to the end. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const length =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.fill(length, column, column + 1);
    }
  }
  return lengths;
}

function add(parts: { text: string; changed: boolean }[], text: string, changed: boolean): void {
  const last = parts.at(-1);
  if (last?.changed === changed) last.text += text;
  else parts.push({ text, changed });
}

/** Compares two scripts word by word. */
function diffWords(before: string, after: string): { before: DiffPart[]; after: DiffPart[] } {
  const [old, next] = [wordsOf(before), wordsOf(after)];
  const lengths = commonLengths(old, next);
  const parts = { before: [] as DiffPart[], after: [] as DiffPart[] };
  let [row, column] = [0, 0];
  while (row < old.length || column < next.length) {
    const [word, other] = [old[row], next[column]];
    if (word !== undefined && word === other) {
      add(parts.before, word, false);
      add(parts.after, word, false);
      row++;
      column++;
    } else if (
      other === undefined ||
      (word !== undefined && (lengths[row + 1]?.[column] ?? 0) >= (lengths[row]?.[column + 1] ?? 0))
    ) {
      add(parts.before, word ?? '', true);
      row++;
    } else {
      add(parts.after, other, true);
      column++;
    }
  }
  return parts;
}

/** Results change with every intro, so a minute of staleness is fine. */
const STALE_MS = 60_000;

const Dates = ({ version: { from, until } }: { version: ScriptVersion }) => (
  <>
    {from === null ? SCRIPT_RESULTS.fromStart : <Time at={from} style="date" />}
    {' – '}
    {until === null ? SCRIPT_RESULTS.now : <Time at={until} style="date" />}
  </>
);

/** The cell that names the version: its dates, its author, and a button that shows what changed. */
function Version({ version }: { version: ScriptVersion }) {
  const { number, until, by, previous, requested } = version;
  const isFirst = previous === null;
  return (
    <span className="grid gap-4">
      <span>
        {SCRIPT_RESULTS.name(number)} {until === null && <Badge tone="good">{SCRIPT_RESULTS.current}</Badge>}
      </span>
      <span className="hint">
        <Dates version={version} />
        {by !== null && SCRIPT_RESULTS.by(by.name)}
      </span>
      {requested < MIN_TO_COMPARE && <span className="hint">{SCRIPT_RESULTS.tooFew(requested)}</span>}
      <DialogButton
        kind="plain"
        small
        aria-label={isFirst ? SCRIPT_RESULTS.seeScriptOf(number) : SCRIPT_RESULTS.seeChangesOf(number)}
        label={isFirst ? SCRIPT_RESULTS.seeScript : SCRIPT_RESULTS.seeChanges}
        dialog={(close) => (
          <Dialog onClose={close} title={SCRIPT_RESULTS.changesTitle(number)} wide>
            <Script version={version} />
          </Dialog>
        )}
      />
    </span>
  );
}

const COLUMNS: readonly Column<ScriptVersion>[] = [
  { name: SCRIPT_RESULTS.version, main: true, render: (version) => <Version version={version} /> },
  { name: SCRIPT_RESULTS.requested, number: true, render: ({ requested }) => formatNumber(requested) },
  {
    name: SCRIPT_RESULTS.recorded,
    number: true,
    render: ({ recorded, requested, median_ms }) => (
      <>
        <Count part={recorded} whole={requested} />
        {median_ms !== null && <div className="hint">{SCRIPT_RESULTS.median(formatDuration(median_ms))}</div>}
      </>
    ),
  },
  { name: SCRIPT_RESULTS.sent, number: true, render: (row) => <Count part={row.sent} whole={row.requested} /> },
  { name: SCRIPT_RESULTS.opened, number: true, render: (row) => <Count part={row.opened} whole={row.sent} /> },
  { name: SCRIPT_RESULTS.watched, number: true, render: (row) => <Count part={row.watched} whole={row.sent} /> },
  { name: SCRIPT_RESULTS.clicked, number: true, render: (row) => <Count part={row.clicked} whole={row.sent} /> },
  { name: SCRIPT_RESULTS.replied, number: true, render: (row) => <Count part={row.replied} whole={row.sent} /> },
];

const Parts = ({ parts, mark: Mark }: { parts: readonly DiffPart[]; mark: 'del' | 'ins' }) =>
  parts.map(({ text, changed }, index) => {
    const pills = <Pills text={text} />;
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move.
    return <Fragment key={index}>{changed ? <Mark>{pills}</Mark> : pills}</Fragment>;
  });

function Script({ version: { script, previous } }: { version: ScriptVersion }) {
  if (previous === null) {
    return (
      <dl className="grid gap-8">
        <dt>{SCRIPT_RESULTS.script}</dt>
        <dd className="quote">
          <Pills text={script} />
        </dd>
      </dl>
    );
  }
  const { before, after } = diffWords(previous, script);
  return (
    <dl className="grid gap-8">
      <dt>{SCRIPT_RESULTS.before}</dt>
      <dd className="quote">
        <Parts parts={before} mark="del" />
      </dd>
      <dt>{SCRIPT_RESULTS.after}</dt>
      <dd className="quote">
        <Parts parts={after} mark="ins" />
      </dd>
    </dl>
  );
}

function Versions({ results: { versions, has_more } }: { results: ScriptResults }) {
  if (versions.every(({ requested }) => requested === 0)) {
    return <EmptyState title={SCRIPT_RESULTS.empty}>{SCRIPT_RESULTS.emptyLead}</EmptyState>;
  }
  const hasFew = versions.length > 1 && versions.some(({ requested }) => requested < MIN_TO_COMPARE);
  return (
    <>
      <Table caption={SCRIPT_RESULTS.title} columns={COLUMNS} rows={versions} keyOf={({ number }) => String(number)} />
      {has_more && <p className="hint">{SCRIPT_RESULTS.more}</p>}
      <div className="grid gap-12">
        {hasFew && <Notice>{SCRIPT_RESULTS.tooFewLead}</Notice>}
        <p className="hint">{SCRIPT_RESULTS.openLead}</p>
      </div>
    </>
  );
}

/** The results of each version of the script. */
export function Results({ detail: { slug, script_es: spanish } }: { detail: TouchpointDetail }) {
  const query = useQuery({
    ...load(['touchpoints', 'results', slug], 'GET /touchpoints/{slug}/results', { params: { slug } }),
    staleTime: STALE_MS,
  });
  return (
    <Card
      title={SCRIPT_RESULTS.title}
      lead={spanish === null ? SCRIPT_RESULTS.lead : `${SCRIPT_RESULTS.lead} ${SCRIPT_RESULTS.onlyEnglish}`}
    >
      <Loaded query={query}>{(results) => <Versions results={results} />}</Loaded>
    </Card>
  );
}
