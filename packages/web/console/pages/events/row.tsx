import type { ConsoleEventRow } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { formatName, formatPhone } from '../../format.ts';
import { Badge, type Tone } from '../../parts/display.tsx';
import { Time } from '../../parts/time.tsx';
import { EVENT_STATUS_NAMES, NO_TOUCHPOINT } from '../../texts.ts';
import { FAILURE_REASONS } from './texts.ts';

interface Columns {
  readonly recipient: string;
  readonly touchpoint: string;
  readonly createdAt: string;
  readonly status: string;
}

/** Column headings on wide screens. Hidden from screen readers, because each row is one link. */
export const EventColumns = ({ names }: { names: Columns }) => (
  <div className="row intro-row event-row hint intro-columns" aria-hidden="true">
    <span>{names.recipient}</span>
    <span>{names.touchpoint}</span>
    <span>{names.createdAt}</span>
    <span>{names.status}</span>
  </div>
);

interface Cells {
  readonly recipient: ConsoleEventRow['recipient'];
  readonly touchpoint: { readonly name: string } | null;
  readonly member: ConsoleEventRow['member'];
  readonly created_at: string;
  readonly reference_id: string | null;
}

/** The cells of an event, except for its status. */
const EventCells = ({ row }: { row: Cells }) => (
  <>
    <span className="grid narrow intro-cell intro-recipient">
      <span className="medium">{formatName(row.recipient)}</span>
      <span className="hint">
        {[formatPhone(row.recipient.phone), row.reference_id].filter((part) => part !== null).join(' · ')}
      </span>
    </span>
    <span className="grid narrow intro-cell intro-what">
      <span>{row.touchpoint?.name ?? NO_TOUCHPOINT}</span>
      <span className="hint">{formatName(row.member)}</span>
    </span>
    <span className="hint nowrap intro-due">
      <Time at={row.created_at} />
    </span>
  </>
);

const TONES: Record<ConsoleEventRow['status'], Tone | undefined> = {
  accepted: 'info',
  processed: undefined,
  failed: 'bad',
};

export function EventStatus({ status }: Pick<ConsoleEventRow, 'status'>) {
  return <Badge tone={TONES[status]}>{EVENT_STATUS_NAMES[status]}</Badge>;
}

export const EventRow = ({ row }: { row: ConsoleEventRow }) => (
  <Link to="/events/$id" params={{ id: row.id }} className="row intro-row event-row">
    <EventCells row={row} />
    <span className="grid intro-status">
      <EventStatus status={row.status} />
      {row.error !== null && <span className="hint">{FAILURE_REASONS[row.error.code]}</span>}
    </span>
  </Link>
);
