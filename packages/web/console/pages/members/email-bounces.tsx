import type { TeamMemberDetail } from '@foreword/contract';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/display.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { MEMBER } from './texts.ts';

/** Says why the member gets no emails, and lets the team confirm the address. */
export function EmailBounces({ member, since }: { member: TeamMemberDetail; since: string }) {
  const confirm = useAction({
    run: () => call('POST /members/{id}/confirm-email', { params: { id: member.id } }),
    topics: ['members'],
    done: MEMBER.emailConfirmed,
  });
  const { email_bounce_reason: reason } = member;
  return (
    <Notice
      tone="warn"
      title={MEMBER.bouncesTitle}
      action={
        <Button kind="quiet" small busy={confirm.isPending} onClick={() => confirm.mutate()}>
          {MEMBER.emailWorks}
        </Button>
      }
    >
      {MEMBER.bouncesLead(member.first_name, member.phone !== null)} {MEMBER.bouncesSince} <Time at={since} />.
      {reason !== null && reason !== '' && ` ${MEMBER.bouncesReason} “${reason}”`}
    </Notice>
  );
}
