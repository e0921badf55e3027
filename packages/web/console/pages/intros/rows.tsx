import type { ConsoleEventRow, ConsoleIntroRow } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { formatName, formatPhone } from '../../format.ts';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { NO_TOUCHPOINT } from '../../texts/names.ts';
import { EventStatus, IntroStatus } from './status.tsx';

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
