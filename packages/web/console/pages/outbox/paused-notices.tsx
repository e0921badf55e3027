import type { ConsoleTextLimits } from '@foreword/contract';
import { call } from '../../api.ts';
import { formatCount } from '../../format.ts';
import { AskButton } from '../../parts/actions.tsx';
import { Notice } from '../../parts/display.tsx';
import { Time } from '../../parts/time.tsx';
import { useMay } from '../../session.ts';

const PAUSED = {
  burst: 'Far more texts than usual were about to be sent.',
  failures: 'Most texts of that day could not be delivered.',
} as const;

type Fault = NonNullable<ConsoleTextLimits['account']>['faults'][number]['fault'];

/** Each fault of the account that sends the texts, and how to fix it. */
const ACCOUNT_FAULTS: Record<Fault, { title: string; next: string }> = {
  credentials: {
    title: 'The carrier rejects your account',
    next: 'Check the account SID and the token.',
  },
  suspended: {
    title: 'Your carrier account is suspended',
    next: 'Check its balance and the messages in the carrier’s console.',
  },
  sender: {
    title: 'Your account can’t send from its number',
    next: 'Check that the number belongs to the account and can send texts.',
  },
  toll_free_unverified: {
    title: 'Your toll-free number isn’t verified',
    next: 'Submit the toll-free verification in the carrier’s console.',
  },
  unregistered: {
    title: 'Your number isn’t registered for business texts',
    next: 'Register your brand and a campaign (A2P 10DLC) in the carrier’s console, and add the number to it.',
  },
  registration_pending: {
    title: 'Your number’s registration isn’t finished',
    next: 'Networks take up to a day for a new number. Don’t remove the number and add it again.',
  },
  campaign_suspended: {
    title: 'Your A2P 10DLC campaign is suspended',
    next: 'Read the carrier’s notice, and resolve the suspension with its support.',
  },
  daily_cap: {
    title: 'Your account reached its daily limit with the carrier',
    next: 'Wait for the next day, or ask the carrier for a higher limit.',
  },
  filtered: {
    title: 'Mobile networks blocked some of your texts',
    next: 'Check the registration of your number and the wording of your texts.',
  },
  country_off: {
    title: 'Your account can’t text some countries',
    next: 'Turn them on in the account’s geographic permissions.',
  },
};

const TEXT_LIMITS = {
  held: (texts: number) =>
    `${texts === 0 ? 'Texts' : formatCount(texts, 'text')} to recipients ${texts === 1 ? 'waits' : 'wait'}, and ${texts === 1 ? 'is' : 'are'} sent automatically once this is fixed. Members get emails.`,
  failed: 'Other texts are sent as usual. The link of an intro whose text failed can be copied or shared.',

  resume: 'Resume texts',
} as const;

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
      The waiting texts are sent now, within the daily limits. For a day, Foreword does not pause texts because of
      unusual activity.
    </AskButton>
  );
  return (
    <Notice tone="bad" title="Texts are paused" action={resume}>
      <p>
        {PAUSED[paused.reason]} Texts to recipients are on hold, and members get emails instead. Check the API keys and
        the recent intros before you resume.
      </p>
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
