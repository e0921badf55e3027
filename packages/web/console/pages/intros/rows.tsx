import type { ConsoleEventRow, ConsoleIntroRow } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { formatName, formatPhone } from '../../format.ts';
import { Badge, type Tone } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { NO_TOUCHPOINT, STATUS_NAMES } from '../../texts/common.ts';
import { EVENT_STATUS_NAMES, INTROS } from '../../texts/intros.ts';

type Shown = Pick<ConsoleIntroRow, 'status' | 'delivery_error' | 'opened_at' | 'watched_percent'>;

/** The furthest step that the intro has reached. */
export function IntroStatus({ status, delivery_error, opened_at, watched_percent }: Shown) {
  if (delivery_error !== null && (status === 'ready' || status === 'sent')) {
    return <Badge tone="bad">{status === 'ready' ? INTROS.notSent : INTROS.notDelivered}</Badge>;
  }
  if (status === 'requested') return <Badge tone="warn">{STATUS_NAMES.requested}</Badge>;
  if (status === 'ready') return <Badge tone="info">{STATUS_NAMES.ready}</Badge>;
  if (status !== 'sent') return <Badge>{STATUS_NAMES[status]}</Badge>;
  if (watched_percent > 0) return <Badge tone="good">{INTROS.watched(watched_percent)}</Badge>;
  return <Badge tone="good">{opened_at === null ? STATUS_NAMES.sent : INTROS.opened}</Badge>;
}

const EVENT_TONES: Record<ConsoleEventRow['status'], Tone | undefined> = {
  accepted: 'info',
  processed: undefined,
  failed: 'bad',
};

export function EventStatus({ status }: Pick<ConsoleEventRow, 'status'>) {
  const tone = EVENT_TONES[status];
  return <Badge {...(tone !== undefined && { tone })}>{EVENT_STATUS_NAMES[status]}</Badge>;
}

interface Columns {
  readonly recipient: string;
  readonly touchpoint: string;
  readonly member: string;
  readonly createdAt: string;
  readonly status: string;
}

/** Column headings on wide screens. Hidden from screen readers, because each row is one link. */
export const ColumnNames = ({ names }: { names: Columns }) => (
  <div className="intros-row intros-columns" aria-hidden="true">
    <span>{names.recipient}</span>
    <span>{names.touchpoint}</span>
    <span>{names.member}</span>
    <span>{names.createdAt}</span>
    <span>{names.status}</span>
  </div>
);

interface Cells {
  readonly recipient: ConsoleIntroRow['recipient'];
  readonly touchpoint: { readonly name: string } | null;
  readonly member: ConsoleIntroRow['member'];
  readonly created_at: string;
  readonly reference_id: string | null;
}

function SharedCells({ row }: { row: Cells }) {
  const { timezone: zone } = useSession().organization;
  return (
    <>
      <span className="intros-recipient">
        <span className="row-main">{formatName(row.recipient)}</span>
        <span className="row-more">
          {[formatPhone(row.recipient.phone), row.reference_id].filter((part) => part !== null).join(' · ')}
        </span>
      </span>
      <span className="intros-touchpoint">{row.touchpoint?.name ?? NO_TOUCHPOINT}</span>
      <span className="intros-member">{formatName(row.member)}</span>
      <span className="intros-created">
        <Time at={row.created_at} zone={zone} />
      </span>
    </>
  );
}

export const IntroRow = ({ row }: { row: ConsoleIntroRow }) => (
  <Link to="/intros/$id" params={{ id: row.id }} className="row intros-row">
    <SharedCells row={row} />
    <span className="intros-status">
      <IntroStatus {...row} />
    </span>
  </Link>
);

export const EventRow = ({ row }: { row: ConsoleEventRow }) => (
  <Link to="/events/$id" params={{ id: row.id }} className="row intros-row">
    <SharedCells row={row} />
    <span className="intros-status">
      <EventStatus status={row.status} />
    </span>
  </Link>
);
