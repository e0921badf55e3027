/** Messages, sent and not sent. */

import type { ConsoleOutboxMessage } from '@foreword/contract';
import { getRouteApi, Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Select } from '../../parts/select.tsx';
import { INTROS } from '../../texts/intro-list.ts';
import { MESSAGE_STATUS, PURPOSES } from '../../texts/intros.ts';
import { OUTBOX } from '../../texts/outbox.ts';
import { TEXT_LIMITS } from '../../texts/text-limits.ts';
import { Message } from '../intros/messages.tsx';
import { useLiveList } from '../intros/use-live-list.ts';
import { PausedTexts } from '../text-limits/paused.tsx';

const route = getRouteApi('/outbox');
const ROW_HEIGHT = 150;
const AUDIENCES = (['all', 'member', 'recipient'] as const).map((value) => ({
  value,
  label: OUTBOX.audiences[value],
}));
type Status = ConsoleOutboxMessage['status'];
/** Leaves out scheduled and dropped messages, which no one received. */
const ATTEMPTED = 'sending,accepted,delivered,undelivered,failed';
const STATUSES = [
  { value: '' as const, label: OUTBOX.attempted },
  { value: 'any' as const, label: OUTBOX.anyStatus },
  ...(Object.keys(MESSAGE_STATUS) as Status[]).map((value) => ({ value, label: MESSAGE_STATUS[value] })),
];

const isOneOf = <T extends string>(values: readonly { readonly value: T }[], text: string | undefined): T | undefined =>
  values.find(({ value }) => value === text)?.value;

const statusesOf = (status: string | undefined): string | undefined =>
  status === undefined ? ATTEMPTED : status === 'any' ? undefined : status;

export function OutboxPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useLiveList<ConsoleOutboxMessage>(['intros', 'outbox', search], (after, signal) =>
    call('GET /messages', { query: { audience: search.audience, status: statusesOf(search.status), after } }, signal),
  );
  const change = (next: { status?: string | undefined; audience?: string | undefined }) => {
    const remaining = Object.entries({ ...search, ...next }).filter(([, value]) => value !== undefined && value !== '');
    void navigate({ search: Object.fromEntries(remaining), replace: true });
  };
  return (
    <>
      <PageHeader
        title={OUTBOX.title}
        lead={OUTBOX.lead}
        actions={
          <LinkButton to="/outbox/limits" kind="quiet">
            {TEXT_LIMITS.title}
          </LinkButton>
        }
      />
      <PausedTexts />
      <div className="outbox-filters">
        <Segmented
          label={OUTBOX.audience}
          value={isOneOf(AUDIENCES, search.audience) ?? 'all'}
          options={AUDIENCES}
          onChange={(audience) => change({ audience: audience === 'all' ? undefined : audience })}
        />
        <Select
          aria-label={OUTBOX.status}
          value={isOneOf(STATUSES, search.status) ?? ''}
          options={STATUSES}
          onChange={(status) => change({ status })}
        />
      </div>
      <Messages list={list} isFiltered={Object.keys(search).length > 0} />
    </>
  );
}

interface MessagesProps {
  list: ReturnType<typeof useLiveList<ConsoleOutboxMessage>>;
  isFiltered: boolean;
}

function Messages({ list: { query, rows, isSearchingOlder }, isFiltered }: MessagesProps) {
  if (rows === undefined) {
    if (!query.isError) return <SkeletonRows rows={5} />;
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  }
  if (rows.length === 0 && !isSearchingOlder && !query.hasNextPage) {
    return isFiltered ? (
      <EmptyState icon="search" title={OUTBOX.none}>
        {OUTBOX.noneLead}
      </EmptyState>
    ) : (
      <EmptyState icon="tray" title={OUTBOX.empty}>
        {OUTBOX.emptyLead}
      </EmptyState>
    );
  }
  return (
    <>
      {rows.some(({ carrier, channel }) => carrier === 'log' && channel === 'text') && (
        <div className="outbox-notice">
          <Notice tone="warn" title={OUTBOX.logTitle}>
            {OUTBOX.logLead}
          </Notice>
        </div>
      )}
      <List
        label={OUTBOX.list}
        rows={rows}
        keyOf={({ id }) => id}
        render={(row) => <OutboxRow row={row} />}
        rowHeight={ROW_HEIGHT}
      />
      {isSearchingOlder ? (
        <p className="intros-back" role="status">
          {INTROS.searchingOlder}
        </p>
      ) : (
        <Pager query={query} />
      )}
    </>
  );
}

const OutboxRow = ({ row }: { row: ConsoleOutboxMessage }) => (
  <div className="outbox-row">
    <Message
      message={row}
      name={`${PURPOSES[row.purpose]}: ${formatName(row.to)}`}
      more={
        <Link to="/intros/$id" params={{ id: row.intro_id }} className="outbox-open">
          {OUTBOX.openIntro}
        </Link>
      }
    />
  </div>
);
