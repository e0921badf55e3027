import type { ConsoleEventRow } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { Badge, type Tone } from '../../parts/notice.tsx';
import { EVENT_STATUS_NAMES } from '../../texts/common.ts';
import { FAILURE_REASONS } from '../../texts/events.ts';
import { EventCells } from '../intros/event-cells.tsx';

const TONES: Record<ConsoleEventRow['status'], Tone | undefined> = {
  accepted: 'info',
  processed: undefined,
  failed: 'bad',
};

export function EventStatus({ status }: Pick<ConsoleEventRow, 'status'>) {
  const tone = TONES[status];
  return <Badge {...(tone !== undefined && { tone })}>{EVENT_STATUS_NAMES[status]}</Badge>;
}

export const EventRow = ({ row }: { row: ConsoleEventRow }) => (
  <Link to="/events/$id" params={{ id: row.id }} className="row intros-row event-row">
    <EventCells row={row} />
    <span className="intros-status event-status">
      <EventStatus status={row.status} />
      {row.error !== null && <span className="row-more">{FAILURE_REASONS[row.error.code]}</span>}
    </span>
  </Link>
);
