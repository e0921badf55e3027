import type { ScriptResults, ScriptVersion, TouchpointDetail } from '@foreword/contract';
import { formatCount, formatDuration, formatNumber } from '../../format.ts';
import { DialogButton } from '../../parts/actions.tsx';
import { Badge, Card, Notice } from '../../parts/display.tsx';
import { Dialog } from '../../parts/overlays.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { type Column, Count, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { Pills } from './template-field.tsx';

/** Fewer intros than this say nothing about a difference: one recipient would be more than 5%. */
const MIN_TO_COMPARE = 20;

const SCRIPT_RESULTS = {
  title: 'Results by script version',
  lead: 'Intros requested in the last 12 months. Opened, watched, tapped, and replied are shares of those sent.',
  tooFew: (requested: number) =>
    requested === 0 ? 'No intros in this period.' : `${formatCount(requested, 'intro')}: too few to compare.`,
  tooFewLead: `Compare only versions with at least ${MIN_TO_COMPARE} intros. With fewer, a difference is likely to be chance.`,
  openLead: 'Intros that are still open count as not recorded, so the current version looks worse at first.',
  onlyEnglish: 'Intros with the Spanish script are not counted.',
} as const;

/** Results change with every intro, so a minute of staleness is fine. */
const STALE_MS = 60_000;

const Dates = ({ version: { from, until } }: { version: ScriptVersion }) => (
  <>
    {from === null ? 'From the start' : <Time at={from} style="date" />}
    {' – '}
    {until === null ? 'now' : <Time at={until} style="date" />}
  </>
);

/** The cell that names the version: its dates, its author, and a button that shows what changed. */
function Version({ version }: { version: ScriptVersion }) {
  const { number, until, by, previous, requested } = version;
  const isFirst = previous === null;
  return (
    <span className="grid gap-4">
      <span>
        {`Version ${formatNumber(number)}`} {until === null && <Badge tone="good">Current</Badge>}
      </span>
      <span className="hint">
        <Dates version={version} />
        {by !== null && `, by ${by.name}`}
      </span>
      {requested < MIN_TO_COMPARE && <span className="hint">{SCRIPT_RESULTS.tooFew(requested)}</span>}
      <DialogButton
        kind="plain"
        small
        aria-label={
          isFirst
            ? `See the script of version ${formatNumber(number)}`
            : `See what changed in version ${formatNumber(number)}`
        }
        label={isFirst ? 'See the script' : 'See what changed'}
        dialog={(close) => (
          <Dialog onClose={close} title={`Script, version ${formatNumber(number)}`} wide>
            <Script version={version} />
          </Dialog>
        )}
      />
    </span>
  );
}

const COLUMNS: readonly Column<ScriptVersion>[] = [
  { name: 'Version', main: true, render: (version) => <Version version={version} /> },
  { name: 'Intros', number: true, render: ({ requested }) => formatNumber(requested) },
  {
    name: 'Recorded',
    number: true,
    render: ({ recorded, requested, median_ms }) => (
      <>
        <Count part={recorded} whole={requested} />
        {median_ms !== null && <div className="hint">{formatDuration(median_ms)} median</div>}
      </>
    ),
  },
  { name: 'Sent', number: true, render: (row) => <Count part={row.sent} whole={row.requested} /> },
  { name: 'Opened', number: true, render: (row) => <Count part={row.opened} whole={row.sent} /> },
  { name: 'Watched to the end', number: true, render: (row) => <Count part={row.watched} whole={row.sent} /> },
  { name: 'Tapped', number: true, render: (row) => <Count part={row.clicked} whole={row.sent} /> },
  { name: 'Replied', number: true, render: (row) => <Count part={row.replied} whole={row.sent} /> },
];

/** The script of a version, below the one that it replaced. */
const Script = ({ version: { script, previous } }: { version: ScriptVersion }) => (
  <dl className="grid gap-8">
    {previous !== null && (
      <>
        <dt>Before</dt>
        <dd className="quote">
          <Pills text={previous} />
        </dd>
      </>
    )}
    <dt>{previous === null ? 'Script' : 'After'}</dt>
    <dd className="quote">
      <Pills text={script} />
    </dd>
  </dl>
);

function Versions({ results: { versions, has_more } }: { results: ScriptResults }) {
  if (versions.every(({ requested }) => requested === 0)) {
    return <EmptyState title="No results yet">Results appear here once intros use this touchpoint.</EmptyState>;
  }
  const hasFew = versions.length > 1 && versions.some(({ requested }) => requested < MIN_TO_COMPARE);
  return (
    <>
      <Table caption={SCRIPT_RESULTS.title} columns={COLUMNS} rows={versions} keyOf={({ number }) => String(number)} />
      {has_more && <p className="hint">Older versions are not listed.</p>}
      <div className="grid gap-12">
        {hasFew && <Notice>{SCRIPT_RESULTS.tooFewLead}</Notice>}
        <p className="hint">{SCRIPT_RESULTS.openLead}</p>
      </div>
    </>
  );
}

/** The results of each version of the script. */
export function Results({ detail: { slug, script_es: spanish } }: { detail: TouchpointDetail }) {
  const query = {
    ...load(['touchpoints', 'results', slug], 'GET /touchpoints/{slug}/results', { params: { slug } }),
    staleTime: STALE_MS,
  };
  return (
    <Card
      title={SCRIPT_RESULTS.title}
      lead={spanish === null ? SCRIPT_RESULTS.lead : `${SCRIPT_RESULTS.lead} ${SCRIPT_RESULTS.onlyEnglish}`}
    >
      <Loaded query={query}>{(results) => <Versions results={results} />}</Loaded>
    </Card>
  );
}
