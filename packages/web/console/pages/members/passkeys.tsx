import type { TeamMemberDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Card } from '../../parts/display.tsx';
import { useAction } from '../../queries.ts';
import { useMay, useSession } from '../../session.ts';
import { MEMBER_PASSKEYS } from '../settings/passkeys-texts.ts';

const TOPIC = 'member-passkeys';

/** Lets an owner help a member who lost their passkeys. Members manage their own in the settings. */
export function MemberPasskeys({ member }: { member: TeamMemberDetail }) {
  const [isConfirming, setConfirming] = useState(false);
  const isOwner = useMay('owner');
  const isOther = useSession().member.id !== member.id;
  const params = { id: member.id };
  const { data } = useQuery({
    queryKey: [TOPIC, member.id],
    queryFn: ({ signal }) => call('GET /members/{id}/passkeys', { params }, signal),
    enabled: isOwner && isOther,
  });
  const remove = useAction({
    run: () => call('DELETE /members/{id}/passkeys', { params }),
    topics: [TOPIC],
    showsFailure: true,
    done: MEMBER_PASSKEYS.removed,
    onDone: () => setConfirming(false),
  });
  if (data === undefined || data.count === 0) return null;
  return (
    <Card title={MEMBER_PASSKEYS.title} lead={MEMBER_PASSKEYS.lead(data.count)}>
      <div className="form-actions">
        <Button kind="quiet" onClick={() => setConfirming(true)}>
          {MEMBER_PASSKEYS.remove}
        </Button>
      </div>
      <Confirm
        open={isConfirming}
        onOpenChange={setConfirming}
        title={MEMBER_PASSKEYS.removeTitle(formatName(member))}
        action={MEMBER_PASSKEYS.removeAction}
        danger
        run={remove}
      >
        <p>{MEMBER_PASSKEYS.removeLead}</p>
      </Confirm>
    </Card>
  );
}
