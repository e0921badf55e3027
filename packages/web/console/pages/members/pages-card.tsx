import type { TeamMemberDetail } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { MEMBER } from '../../texts/members.ts';

/** Decides what the video pages of a deactivated member show. */
export function Pages({ member }: { member: TeamMemberDetail }) {
  const [isConfirming, setConfirming] = useState(false);
  const may = useMay(member.role === 'owner' ? 'owner' : 'manager');
  const params = { id: member.id };
  const replace = useAction({
    run: () => call('POST /members/:id/replace-pages', { params }),
    topics: ['members'],
    showsFailure: true,
    done: MEMBER.replaced,
    onDone: () => setConfirming(false),
  });
  const restore = useAction({
    run: () => call('POST /members/:id/restore-pages', { params }),
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
        busy={replace.isPending}
        error={replace.error}
        onConfirm={() => replace.mutate()}
      >
        {MEMBER.replaceLead(member.first_name)}
      </Confirm>
    </Card>
  );
}
