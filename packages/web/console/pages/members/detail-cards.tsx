import type { MemberIntro, TeamMemberDetail } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Badge, Card, RowText, type Tone } from '../../parts/display.tsx';
import { List } from '../../parts/list.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { NO_TOUCHPOINT, STATUS_NAMES } from '../../texts.ts';
import { INTRO_LINE, MEMBER } from './texts.ts';

/** Decides what the video pages of a deactivated member show. */
export function Pages({ member }: { member: TeamMemberDetail }) {
  const [isConfirming, setConfirming] = useState(false);
  const may = useMay(member.role === 'owner' ? 'owner' : 'manager');
  const params = { id: member.id };
  const replace = useAction({
    run: () => call('POST /members/{id}/replace-pages', { params }),
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.replaced,
    onDone: () => setConfirming(false),
  });
  const restore = useAction({
    run: () => call('POST /members/{id}/restore-pages', { params }),
    topics: ['members'],
    done: MEMBER.restored,
  });
  if (member.active) return null;
  const isReplaced = member.pages_replaced_at !== null;
  const lead = member.live_pages.count === 0 ? MEMBER.pagesNone : MEMBER.pagesLive(member.live_pages);
  return (
    <Card title={MEMBER.pagesTitle} lead={isReplaced ? MEMBER.pagesReplaced : lead}>
      {may && (
        <div className="form-actions">
          {isReplaced ? (
            <Button kind="quiet" busy={restore.isPending} onClick={() => restore.mutate()}>
              {MEMBER.restore}
            </Button>
          ) : (
            <Button kind="quiet" onClick={() => setConfirming(true)}>
              {MEMBER.replace}
            </Button>
          )}
        </div>
      )}
      <Confirm
        open={isConfirming}
        onOpenChange={setConfirming}
        title={MEMBER.replaceTitle(formatName(member))}
        action={MEMBER.replaceAction}
        run={replace}
      >
        {MEMBER.replaceLead(member.first_name)}
      </Confirm>
    </Card>
  );
}

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
        <RowText main={intro.recipient_name}>
          {intro.touchpoint ?? NO_TOUCHPOINT} · <LatestEvent intro={intro} />
        </RowText>
        <StatusBadge status={intro.status} />
      </Link>
    )}
  />
);

function StatusBadge({ status }: { status: MemberIntro['status'] }) {
  return <Badge tone={TONES[status]}>{STATUS_NAMES[status]}</Badge>;
}
