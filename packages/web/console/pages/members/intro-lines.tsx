import type { MemberIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { List } from '../../parts/list.tsx';
import { Badge, type Tone } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { NO_TOUCHPOINT, STATUS_NAMES } from '../../texts/common.ts';
import { INTRO_LINE } from '../../texts/members.ts';

const TONES: Partial<Record<MemberIntro['status'], Tone>> = { ready: 'info', sent: 'good', expired: 'warn' };

/** The most important event so far; for open intros, the due date. */
function LatestEvent({ intro }: { intro: MemberIntro }) {
  if (intro.watched_at !== null) return <Event label={INTRO_LINE.watched} at={intro.watched_at} />;
  if (intro.opened_at !== null) return <Event label={INTRO_LINE.opened} at={intro.opened_at} />;
  const isOpen = intro.status === 'requested' && intro.expires_at !== null;
  if (isOpen && intro.expires_at !== null) return <Event label={INTRO_LINE.due} at={intro.expires_at} />;
  if (intro.sent_at !== null) return <Event label={INTRO_LINE.sent} at={intro.sent_at} />;
  return <Event label={INTRO_LINE.requested} at={intro.created_at} />;
}

const Event = ({ label, at }: { label: string; at: string }) => (
  <>
    {label} <Time at={at} />
  </>
);

export const IntroLines = ({ label, intros }: { label: string; intros: readonly MemberIntro[] }) => (
  <List
    label={label}
    rows={intros}
    keyOf={({ id }) => id}
    render={(intro) => (
      <Link to="/intros/$id" params={{ id: intro.id }} className="row">
        <span className="row-text">
          <span className="row-main">{intro.recipient_name}</span>
          <span className="row-more">
            {intro.touchpoint ?? NO_TOUCHPOINT} · <LatestEvent intro={intro} />
          </span>
        </span>
        <StatusBadge status={intro.status} />
      </Link>
    )}
  />
);

function StatusBadge({ status }: { status: MemberIntro['status'] }) {
  const tone = TONES[status];
  return <Badge {...(tone !== undefined && { tone })}>{STATUS_NAMES[status]}</Badge>;
}
