import type { ConsoleTextLimits } from '@foreword/contract';
import { call } from '../../api.ts';
import { AskButton } from '../../parts/actions.tsx';
import { Notice } from '../../parts/display.tsx';
import { Time } from '../../parts/time.tsx';
import { useMay } from '../../session.ts';
import { ACCOUNT_FAULTS, TEXT_LIMITS } from './texts.ts';

/** Says why texts are paused. An owner can resume them. */
function PausedNotice({ paused }: { paused: NonNullable<ConsoleTextLimits['paused']> }) {
  const mayResume = useMay('owner');
  const resume = mayResume && (
    <AskButton
      button={{ small: true, label: TEXT_LIMITS.resume }}
      title="Resume texts?"
      action={TEXT_LIMITS.resume}
      run={() => call('POST /text-limits/resume')}
      topics={['intros', 'organization']}
      done="Texts are resumed"
    >
      {TEXT_LIMITS.resumeLead}
    </AskButton>
  );
  return (
    <Notice tone="bad" title="Texts are paused" action={resume}>
      <p>{TEXT_LIMITS.paused(paused.reason)}</p>
      <p>
        Paused since <Time at={paused.at} style="dateTime" />. {!mayResume && 'An owner can resume them.'}
      </p>
    </Notice>
  );
}

/** Says what is wrong with the account that sends the texts, and how to fix it. */
function AccountNotices({ account }: Pick<ConsoleTextLimits, 'account'>) {
  const { faults, held_texts: heldTexts, is_own: isOwn } = account;
  return (
    <>
      {faults.map(({ fault, since, message, is_held: isHeld }) => {
        const { title, next } = ACCOUNT_FAULTS[fault];
        return (
          <Notice key={fault} tone={isHeld ? 'bad' : 'warn'} title={title}>
            <p>{isHeld ? TEXT_LIMITS.held(heldTexts) : TEXT_LIMITS.failed}</p>
            <p>
              {next} {!isOwn && 'Your administrator can fix this account.'}
            </p>
            <p className="hint">
              Since <Time at={since} style="dateTime" />. {message}
            </p>
          </Notice>
        );
      })}
    </>
  );
}

export const TextNotices = ({ limits: { paused, account } }: { limits: ConsoleTextLimits }) => (
  <>
    {paused !== null && <PausedNotice paused={paused} />}
    <AccountNotices account={account} />
  </>
);
