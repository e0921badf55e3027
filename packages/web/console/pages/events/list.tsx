import type { ConsoleEventRow } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName, formatPhone } from '../../format.ts';
import { Badge, type Tone } from '../../parts/display.tsx';
import { Time } from '../../parts/time.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { EVENT_STATUS_NAMES, NO_TOUCHPOINT } from '../../texts.ts';
import { Empty } from '../intros/intro-list.tsx';
import { INTROS } from '../intros/list-texts.ts';
import { Rows, useLiveList } from '../intros/rows.tsx';
import { FAILURE_REASONS } from './texts.ts';

/** Column headings on wide screens. Hidden from screen readers, because each row is one link. */
const COLUMNS = (
  <div className="intro-row event-row hint middle intro-columns" aria-hidden="true">
    <span>{INTROS.columns.recipient}</span>
    <span>{INTROS.columns.touchpoint}</span>
    <span>Received</span>
    <span>{INTROS.columns.status}</span>
  </div>
);

const TONES: Record<ConsoleEventRow['status'], Tone | undefined> = {
  accepted: 'info',
  processed: undefined,
  failed: 'bad',
};

export const EventStatus = ({ status }: Pick<ConsoleEventRow, 'status'>) => (
  <Badge tone={TONES[status]}>{EVENT_STATUS_NAMES[status]}</Badge>
);

const EventRow = ({ row }: { row: ConsoleEventRow }) => (
  <Link to="/events/$id" params={{ id: row.id }} className="row intro-row event-row">
    <span className="grid narrow intro-recipient">
      <span className="medium ellipsis">{formatName(row.recipient)}</span>
      <span className="hint ellipsis">
        {[formatPhone(row.recipient.phone), row.reference_id].filter((part) => part !== null).join(' · ')}
      </span>
    </span>
    <span className="grid narrow ellipsis intro-what">
      <span className="ellipsis">{row.touchpoint?.name ?? NO_TOUCHPOINT}</span>
      <span className="hint ellipsis">{formatName(row.member)}</span>
    </span>
    <span className="hint nowrap intro-due">
      <Time at={row.created_at} />
    </span>
    <span className="grid intro-status">
      <EventStatus status={row.status} />
      {row.error !== null && <span className="hint">{FAILURE_REASONS[row.error.code]}</span>}
    </span>
  </Link>
);

/** The list of events, in place of that of intros. */
export function EventList({ search }: { search: IntrosSearch }) {
  const { sort: _sort, delivery: _delivery, problem: _problem, watched: _watched, ...query } = search;
  const list = useLiveList<ConsoleEventRow>(['intros', 'events', query], (after, signal) =>
    call('GET /events', { query: { ...query, after } }, signal),
  );
  return (
    <Rows
      list={list}
      label="Events, newest first"
      render={(row) => <EventRow row={row} />}
      names={COLUMNS}
      empty={<Empty search={query} icon="moment" title="No events yet" lead={INTROS.emptyEventsLead} />}
    />
  );
}
