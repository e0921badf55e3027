import type { ConsoleTextLimits } from '@foreword/contract';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { ACCOUNT_FAULTS, TEXT_LIMITS } from '../../texts/text-limits.ts';

interface AccountNoticeProps {
  account: ConsoleTextLimits['account'];
  timezone: string;
}

/** Says what is wrong with the account that sends the texts, and how to fix it. */
export function AccountNotice({ account, timezone }: AccountNoticeProps) {
  const { faults, held_texts: heldTexts, is_own: isOwn } = account;
  return (
    <div className="paused-texts">
      {faults.map(({ fault, since, message, is_held: isHeld }) => {
        const { title, next } = ACCOUNT_FAULTS[fault];
        return (
          <Notice key={fault} tone={isHeld ? 'bad' : 'warn'} title={title}>
            <p>{isHeld ? TEXT_LIMITS.held(heldTexts) : TEXT_LIMITS.failed}</p>
            <p>
              {next} {!isOwn && TEXT_LIMITS.sharedAccount}
            </p>
            <p className="field-hint">
              {TEXT_LIMITS.faultSince} <Time at={since} style="dateTime" zone={timezone} />. {message}
            </p>
          </Notice>
        );
      })}
    </div>
  );
}
