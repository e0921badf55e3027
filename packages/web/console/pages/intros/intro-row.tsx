import type { ConsoleIntroRow } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatName, formatPhone } from '../../format.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { NO_TOUCHPOINT } from '../../texts/common.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { IntroStatus } from './status.tsx';

const SOON_MS = 24 * 3_600_000;

/** The face in the video, or the initials of the member who records it. Hidden from screen readers: the row names both. */
function Face({ thumbnail, member }: { thumbnail: string | null; member: string }) {
  const [isMissing, setMissing] = useState(false);
  if (thumbnail === null || isMissing) return <Avatar name={member} photo={null} />;
  return (
    <span className="avatar" aria-hidden="true">
      <img src={thumbnail} alt="" loading="lazy" decoding="async" onError={() => setMissing(true)} />
    </span>
  );
}

/** The deadline to record or send. The others have none. */
function Due({ row: { status, expires_at } }: { row: ConsoleIntroRow }) {
  const now = useNowMs();
  if (expires_at === null || (status !== 'requested' && status !== 'ready')) return <span className="intro-due" />;
  const isSoon = status === 'requested' && Date.parse(expires_at) - now < SOON_MS;
  return (
    <span className={isSoon ? 'intro-due intro-due-soon' : 'intro-due'}>
      {isSoon && <Icon name="clock" />}
      <span>
        <span className="intro-due-name">{INTROS.due} </span>
        <Time at={expires_at} />
      </span>
    </span>
  );
}

interface SelectProps {
  checked: boolean;
  /** `isRange`: also all rows between this one and the last one that was changed. */
  onToggle: (isRange: boolean) => void;
  name: string;
}

/** Space or a click selects; with Shift, a range. */
function SelectBox({ checked, onToggle, name }: SelectProps) {
  const [isShift, setShift] = useState(false);
  return (
    <label className="intro-select">
      <input
        type="checkbox"
        aria-label={INTROS.select(name)}
        checked={checked}
        onKeyDown={(event) => setShift(event.shiftKey)}
        onKeyUp={() => setShift(false)}
        onChange={({ nativeEvent }) =>
          onToggle(isShift || ('shiftKey' in nativeEvent && nativeEvent.shiftKey === true))
        }
      />
    </label>
  );
}

interface IntroRowProps {
  row: ConsoleIntroRow;
  selected: boolean;
  onToggle: (isRange: boolean) => void;
}

export function IntroRow({ row, selected, onToggle }: IntroRowProps) {
  const [name, member] = [formatName(row.recipient), formatName(row.member)];
  return (
    <div className={selected ? 'intro-item intro-item-selected' : 'intro-item'}>
      <SelectBox name={name} checked={selected} onToggle={onToggle} />
      <Link to="/intros/$id" params={{ id: row.id }} className="row intro-row">
        <Face thumbnail={row.thumbnail_url} member={member} />
        <span className="intros-recipient">
          <span className="row-main">{name}</span>
          <span className="row-more">
            {[formatPhone(row.recipient.phone), row.reference_id].filter((part) => part !== null).join(' · ')}
          </span>
        </span>
        <span className="intros-recipient intro-what">
          <span>{row.touchpoint?.name ?? NO_TOUCHPOINT}</span>
          <span className="row-more">{member}</span>
        </span>
        <Due row={row} />
        <span className="intros-created">
          <Time at={row.created_at} />
        </span>
        <span className="intros-status">
          <IntroStatus {...row} />
        </span>
      </Link>
    </div>
  );
}
