import type { ScriptResults, ScriptVersion, TouchpointDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatDuration, formatNumber, formatShare } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { Badge, Notice } from '../../parts/notice.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { MIN_TO_COMPARE, SCRIPT_RESULTS } from '../../texts/script-results.ts';
import { type DiffPart, diffWords } from './word-diff.ts';

/** Results change with every intro, so a minute of staleness is fine. */
const STALE_MS = 60_000;

function Count({ part, whole }: { part: number; whole: number }) {
  return (
    <span className="part">
      {formatNumber(part)} {whole > 0 && <span className="share">{formatShare(part / whole)}</span>}
    </span>
  );
}

const Dates = ({ version: { from, until } }: { version: ScriptVersion }) => (
  <>
    {from === null ? SCRIPT_RESULTS.fromStart : <Time at={from} style="date" />}
    {' – '}
    {until === null ? SCRIPT_RESULTS.now : <Time at={until} style="date" />}
  </>
);

interface VersionProps {
  version: ScriptVersion;
  onOpen: () => void;
}

/** The cell that names the version: its dates, its author, and a link to what changed. */
function Version({ version, onOpen }: VersionProps) {
  const { number, until, by, previous, requested } = version;
  const isFirst = previous === null;
  return (
    <span className="script-version">
      <span>
        {SCRIPT_RESULTS.name(number)} {until === null && <Badge tone="good">{SCRIPT_RESULTS.current}</Badge>}
      </span>
      <span className="row-more">
        <Dates version={version} />
        {by !== null && SCRIPT_RESULTS.by(by.name)}
      </span>
      {requested < MIN_TO_COMPARE && <span className="row-more">{SCRIPT_RESULTS.tooFew(requested)}</span>}
      <Button
        kind="plain"
        small
        aria-label={isFirst ? SCRIPT_RESULTS.seeScriptOf(number) : SCRIPT_RESULTS.seeChangesOf(number)}
        onClick={onOpen}
      >
        {isFirst ? SCRIPT_RESULTS.seeScript : SCRIPT_RESULTS.seeChanges}
      </Button>
    </span>
  );
}

const columns = (open: (version: ScriptVersion) => void): readonly Column<ScriptVersion>[] => [
  {
    name: SCRIPT_RESULTS.version,
    main: true,
    render: (version) => <Version version={version} onOpen={() => open(version)} />,
  },
  { name: SCRIPT_RESULTS.requested, number: true, render: ({ requested }) => formatNumber(requested) },
  {
    name: SCRIPT_RESULTS.recorded,
    number: true,
    render: ({ recorded, requested, median_ms }) => (
      <>
        <Count part={recorded} whole={requested} />
        {median_ms !== null && (
          <span className="share script-median">{SCRIPT_RESULTS.median(formatDuration(median_ms))}</span>
        )}
      </>
    ),
  },
  { name: SCRIPT_RESULTS.sent, number: true, render: (row) => <Count part={row.sent} whole={row.requested} /> },
  { name: SCRIPT_RESULTS.opened, number: true, render: (row) => <Count part={row.opened} whole={row.sent} /> },
  { name: SCRIPT_RESULTS.watched, number: true, render: (row) => <Count part={row.watched} whole={row.sent} /> },
  { name: SCRIPT_RESULTS.replied, number: true, render: (row) => <Count part={row.replied} whole={row.sent} /> },
];

const Parts = ({ parts, mark: Mark }: { parts: readonly DiffPart[]; mark: 'del' | 'ins' }) =>
  parts.map(({ text, changed }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move.
    changed ? <Mark key={index}>{text}</Mark> : <span key={index}>{text}</span>,
  );

function Script({ version: { script, previous } }: { version: ScriptVersion }) {
  if (previous === null) {
    return (
      <dl className="script-diff">
        <dt>{SCRIPT_RESULTS.script}</dt>
        <dd>{script}</dd>
      </dl>
    );
  }
  const { before, after } = diffWords(previous, script);
  return (
    <dl className="script-diff">
      <dt>{SCRIPT_RESULTS.before}</dt>
      <dd>
        <Parts parts={before} mark="del" />
      </dd>
      <dt>{SCRIPT_RESULTS.after}</dt>
      <dd>
        <Parts parts={after} mark="ins" />
      </dd>
    </dl>
  );
}

function Versions({ results: { versions, has_more } }: { results: ScriptResults }) {
  const [opened, setOpened] = useState<ScriptVersion | null>(null);
  const [isOpen, setOpen] = useState(false);
  if (versions.every(({ requested }) => requested === 0)) {
    return <EmptyState title={SCRIPT_RESULTS.empty}>{SCRIPT_RESULTS.emptyLead}</EmptyState>;
  }
  const open = (version: ScriptVersion) => {
    setOpened(version);
    setOpen(true);
  };
  const hasFew = versions.length > 1 && versions.some(({ requested }) => requested < MIN_TO_COMPARE);
  return (
    <>
      <Table
        caption={SCRIPT_RESULTS.table}
        columns={columns(open)}
        rows={versions}
        keyOf={({ number }) => String(number)}
      />
      {has_more && <p className="values-hint">{SCRIPT_RESULTS.more}</p>}
      <div className="script-notes">
        {hasFew && <Notice>{SCRIPT_RESULTS.tooFewLead}</Notice>}
        <p className="row-more">{SCRIPT_RESULTS.openLead}</p>
      </div>
      <Dialog open={isOpen} onOpenChange={setOpen} title={SCRIPT_RESULTS.changesTitle(opened?.number ?? 0)} wide>
        {opened !== null && <Script version={opened} />}
      </Dialog>
    </>
  );
}

/** The results of each version of the script. */
export function Results({ detail: { slug, script_es: spanish } }: { detail: TouchpointDetail }) {
  const query = useQuery({
    queryKey: ['touchpoints', 'results', slug],
    queryFn: ({ signal }) => call('GET /touchpoints/:slug/results', { params: { slug } }, signal),
    staleTime: STALE_MS,
  });
  return (
    <div className="script-results">
      <Card
        title={SCRIPT_RESULTS.title}
        lead={spanish === null ? SCRIPT_RESULTS.lead : `${SCRIPT_RESULTS.lead} ${SCRIPT_RESULTS.onlyEnglish}`}
      >
        <Loaded query={query}>{(results) => <Versions results={results} />}</Loaded>
      </Card>
    </div>
  );
}
