import type { ConsoleEventRow } from '@foreword/contract';
import { formatName, formatPhone } from '../../format.ts';
import { Time } from '../../parts/time.tsx';
import { NO_TOUCHPOINT } from '../../texts/common.ts';

interface Columns {
  readonly recipient: string;
  readonly touchpoint: string;
  readonly member: string;
  readonly createdAt: string;
  readonly status: string;
}

/** Column headings on wide screens. Hidden from screen readers, because each row is one link. */
export const EventColumns = ({ names }: { names: Columns }) => (
  <div className="intros-row intros-columns" aria-hidden="true">
    <span>{names.recipient}</span>
    <span>{names.touchpoint}</span>
    <span>{names.member}</span>
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
export const EventCells = ({ row }: { row: Cells }) => (
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
      <Time at={row.created_at} />
    </span>
  </>
);
