import type { ConsoleErasure, ConsoleRetention, RetentionRule } from '@foreword/contract';
import { RETENTION_POLICIES } from '@foreword/contract/plain/retention';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type MouseEvent, useState } from 'react';
import { call } from '../../api.ts';
import { useDebounced } from '../../hooks.ts';
import { DialogButton, FieldsButton } from '../../parts/actions.tsx';
import { AnchorButton } from '../../parts/button.tsx';
import { Badge, Card, DefinitionList, Notice, PageHeader, RowText } from '../../parts/display.tsx';
import { Loaded, Together } from '../../parts/states.tsx';
import { Moment, Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { NAV, PARTS } from '../../texts.ts';
import { ERASURES_TOPIC, EraseDialog } from '../erasures/dialog.tsx';
import { ERASURES } from '../erasures/texts.ts';
import { EXPORT, RETENTION } from './data-texts.ts';

const ARCHIVE = '/console/export/organization.tar';

/** Navigating to the archive instead would replace the page if the server refuses it. */
function download() {
  const link = document.createElement('a');
  link.href = ARCHIVE;
  link.download = '';
  link.click();
}

const EXPORT_QUERY = load(['export'], 'GET /export');

/** Everything about the organization as one file. */
function Export() {
  const estimate = useQuery(EXPORT_QUERY);
  const [isRefused, setRefused] = useState(false);
  const start = async (event: MouseEvent) => {
    event.preventDefault();
    const { data } = await estimate.refetch();
    setRefused(data?.is_running === true);
    if (data?.is_running !== true) download();
  };
  return (
    <Card title="Export your data" lead={EXPORT.lead}>
      <Loaded query={EXPORT_QUERY}>
        {(loaded) => (
          <>
            <p>{EXPORT.estimate(loaded)}</p>
            <p className="lead">
              If the download stops, it starts over. For a large archive, ask your administrator to run{' '}
              <code>foreword export</code>, which writes it on the server.
            </p>
            {isRefused && (
              <Notice tone="warn" live>
                An export is already running. Try again once it has finished.
              </Notice>
            )}
            <AnchorButton
              kind="quiet"
              icon="download"
              href={ARCHIVE}
              download
              onClick={(event) => void start(event)}
              label={EXPORT.download}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

const TOPIC = 'retention';
const TYPING_PAUSE_MS = 300;

/** Says how many objects the chosen days would remove, and when. */
function Preview({ rule, days }: { rule: RetentionRule; days: number }) {
  const query = load([TOPIC, 'preview', rule, days], 'POST /retention/preview', { body: { rule, days } });
  return (
    <Loaded query={query} skeleton={<p className="hint">Counting…</p>}>
      {({ count, has_more: hasMore, effective_at: at }) =>
        count === 0 ? (
          <Notice live>Nothing is old enough to be removed yet.</Notice>
        ) : (
          <Notice tone="warn" live>
            {RETENTION.preview(rule, count, hasMore)}{' '}
            {at === null ? (
              'within an hour.'
            ) : (
              <>
                after <Time at={at} style="dateTime" />. Until then, you can change it back.
              </>
            )}
          </Notice>
        )
      }
    </Loaded>
  );
}

/** Counts once the typed days are possible and have not changed for a moment. */
function Effect({ retention: { rule, days }, typed }: { retention: ConsoleRetention; typed: number }) {
  const { min, max } = RETENTION_POLICIES[rule];
  const chosen = useDebounced(typed, TYPING_PAUSE_MS);
  const isPossible = Number.isInteger(chosen) && chosen >= min && chosen <= max;
  return isPossible && chosen !== days && <Preview rule={rule} days={chosen} />;
}

function ChangeButton({ retention }: { retention: ConsoleRetention }) {
  const { rule } = retention;
  const { name, min, max, default: byDefault, removes, reason, minReason } = RETENTION_POLICIES[rule];
  return (
    <FieldsButton
      button={{ small: true, label: 'Change', 'aria-label': `Change ${name}` }}
      title={`Keep ${name.toLowerCase()}`}
      submit={PARTS.save}
      list={[{ name: 'days', label: 'Days', hint: RETENTION.hint(min, max, byDefault), kind: 'number' }]}
      initial={{ days: String(retention.days) }}
      run={({ days }) => call('POST /retention', { body: { rule, days: Number(days) } })}
      topics={[TOPIC, 'activity']}
      done={`${name}: retention saved`}
    >
      {({ days }) => (
        <>
          <Effect retention={retention} typed={Number(days)} />
          <DefinitionList
            items={[
              ['Removes', removes],
              [RETENTION.whyDefault(byDefault), reason],
              [RETENTION.whyNotLess(min), minReason],
            ]}
          />
        </>
      )}
    </FieldsButton>
  );
}

const Rules = ({ rules }: { rules: readonly ConsoleRetention[] }) => (
  <ul className="list" aria-label="Retention rules">
    {rules.map((retention) => {
      const { rule, days, effective_at: at, days_until_then: until } = retention;
      const { name, since } = RETENTION_POLICIES[rule];
      return (
        <li key={rule} className="list-row entry line gap-16">
          <RowText main={name}>
            {RETENTION.kept(until ?? days, since)}
            {at !== null && (
              <>
                {' · '}
                {RETENTION.pending(days)} <Time at={at} style="dateTime" />
              </>
            )}
          </RowText>
          <ChangeButton retention={retention} />
        </li>
      );
    })}
  </ul>
);

const RETENTION_QUERY = load([TOPIC], 'GET /retention');

/** How long each kind of data is kept. */
const Retention = () => (
  <Card title="Data retention" lead={RETENTION.lead}>
    <Loaded query={RETENTION_QUERY}>{({ rules }) => <Rules rules={rules} />}</Loaded>
  </Card>
);

/** While an erasure is in progress. */
const POLL_MS = 2_000;

const isProcessing = ({ status }: ConsoleErasure): boolean => status === 'processing';

const ERASURES_QUERY = queryOptions({
  ...load([ERASURES_TOPIC], 'GET /erasures'),
  refetchInterval: ({ state }) => (state.data?.erasures.some(isProcessing) ? POLL_MS : false),
});

const Receipts = ({ erasures }: { erasures: readonly ConsoleErasure[] }) =>
  erasures.length === 0 ? (
    <p className="lead">No recipient has been erased.</p>
  ) : (
    <ul className="list" aria-label="Erased recipients">
      {erasures.map((erasure) => (
        <li key={erasure.id} className="list-row entry line gap-16">
          <RowText main={<Moment at={erasure.created_at} />}>
            {ERASURES.receipt(erasure.removed)} · <code>{erasure.id}</code>
          </RowText>
          <Badge tone={isProcessing(erasure) ? 'info' : 'good'}>
            {isProcessing(erasure) ? 'In progress' : 'Complete'}
          </Badge>
        </li>
      ))}
    </ul>
  );

/** Erases a recipient, and lists the receipts of earlier erasures. */
const Erasures = () => (
  <Card title={ERASURES.title} lead={ERASURES.lead}>
    <Loaded query={ERASURES_QUERY}>{({ erasures }) => <Receipts erasures={erasures} />}</Loaded>
    <DialogButton label={ERASURES.title} dialog={(onClose) => <EraseDialog onClose={onClose} />} />
  </Card>
);

/** For owners: how long data is kept, exporting it, and erasing a recipient. */
export const DataPage = () => (
  <>
    <PageHeader title={NAV.data} lead="How long data is kept, and how to get or erase it." />
    <Together queries={[RETENTION_QUERY, EXPORT_QUERY, ERASURES_QUERY]}>
      <Retention />
      <Export />
      <Erasures />
    </Together>
  </>
);
