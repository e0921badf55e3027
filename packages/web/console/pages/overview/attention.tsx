import type { Attention, AttentionIntro, IntroProblem, OverviewIssue } from '@foreword/contract';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { formatCount, formatList, formatName, formatNumber } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card, Icon } from '../../parts/display.tsx';
import { Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { FAILURE_REASONS } from '../events/texts.ts';
import { DECLINES } from '../intros/decline-texts.ts';
import { ShareLink } from '../intros/share-link.tsx';

const CARRIER: Record<'text' | 'email', Record<'unset' | 'refused' | 'unreachable', string>> = {
  text: {
    unset: 'No text provider is connected. Texts are listed under Messages, but not sent.',
    refused: 'The text provider is rejecting text messages. They will be sent once its settings are fixed.',
    unreachable: 'The text provider is not responding. Texts will be sent when it responds again.',
  },
  email: {
    unset: 'No email provider is connected. Emails are listed under Messages, but not sent.',
    refused: 'The mail server is rejecting emails. They will be sent once its settings are fixed.',
    unreachable: 'The mail server is not responding. Emails will be sent when it responds again.',
  },
};

type NeverRecorded = Extract<OverviewIssue, { kind: 'never_recorded' }>;

const names = ({ members, amount }: NeverRecorded): string => {
  const shown = members.map(({ first_name, last_name }) => `${first_name} ${last_name}`);
  const rest = amount - shown.length;
  return formatList(rest > 0 ? [...shown, `${amount > 20 ? 'many' : formatNumber(rest)} more`] : shown);
};

interface About {
  readonly recipient: string;
  readonly member: string;
  /** The label of the reply. */
  readonly label: string;
  readonly amount: number;
  /** Not all problems are known, so there may be more than `amount`. */
  readonly hasMore: boolean;
}

const PROBLEMS: Record<IntroProblem, (about: About) => string> = {
  reply_waiting: ({ recipient, label }) => `${recipient} replied: “${label}”`,
  declined: ({ recipient, member }) => `${member} declined to record for ${recipient}`,
  not_sent: ({ recipient }) => `The video for ${recipient} was not sent`,
  not_delivered: ({ recipient }) => `The text to ${recipient} was not delivered`,
  member_not_reached: ({ recipient, member, amount, hasMore }) =>
    amount === 1
      ? `${member} was not reached about ${recipient}`
      : `${member} was not reached about ${amount}${hasMore ? ' or more' : ''} intros`,
};

const ATTENTION = {
  title: 'Needs attention',
  openMember: 'Open member',
  webhookOff: (host: string) => `Webhooks to ${host} were turned off because they kept failing.`,
  webhookGone: (host: string) => `Webhooks to ${host} were turned off because the endpoint responded 410 Gone.`,
} as const;

export const attentionQuery = load(['intros', 'attention'], 'GET /overview/attention');

type IssueOf<Kind extends OverviewIssue['kind']> = Extract<OverviewIssue, { kind: Kind }>;

interface RowProps {
  main: ReactNode;
  hint?: ReactNode;
  /** The next step. */
  action: ReactNode;
}

const Row = ({ main, hint, action }: RowProps) => (
  <li className="list-row entry wrap gap-12">
    <div className="row-text">
      <p>{main}</p>
      {hint !== undefined && <p className="hint">{hint}</p>}
    </div>
    <div className="wrap middle gap-8">{action}</div>
  </li>
);

/** The hash opens a dialog of the intro. */
const Step = ({ intro: { id }, label, hash }: { intro: AttentionIntro; label: string; hash?: string }) => (
  <LinkButton to="/intros/$id" params={{ id }} {...(hash !== undefined && { hash })} kind="quiet" small label={label} />
);

/** Numbers that receive no texts. A link sent by hand would not arrive either. */
const WRONG_NUMBER: readonly string[] = ['invalid_number', 'unreachable_number'];

function NextStep({ intro }: { intro: AttentionIntro }) {
  const { problem, code, member, recipient, recipient_url: url } = intro;
  switch (problem) {
    case 'declined':
      return <Step intro={intro} label="Reassign" hash="reassign" />;
    case 'reply_waiting':
      return <Step intro={intro} label="Answer" />;
    case 'member_not_reached':
      return (
        <LinkButton to="/members/$id" params={{ id: member.id }} kind="quiet" small label={ATTENTION.openMember} />
      );
    case 'not_sent':
    case 'not_delivered':
      return url === null || WRONG_NUMBER.includes(code ?? '') ? (
        <Step intro={intro} label="Correct number" hash="correct_phone" />
      ) : (
        <ShareLink url={url} recipient={formatName(recipient)} />
      );
  }
}

/** The reason, in the words of the person who replied or declined, or else of the carrier. */
function reasonOf({ problem, member, reason, message }: AttentionIntro): string | null {
  const own = message === null ? null : `“${message}”`;
  if (problem === 'declined') return own ?? DECLINES.step(reason ?? '');
  if (problem === 'reply_waiting') return own ?? `To ${formatName(member)}`;
  // The time follows.
  return reason?.replace(/\.$/, '') ?? null;
}

function IntroRow({ intro, hasMore }: { intro: AttentionIntro; hasMore: boolean }) {
  const { id, problem, recipient, member, reason, at, expires_at: due, amount } = intro;
  const text = PROBLEMS[problem]({
    recipient: formatName(recipient),
    member: formatName(member),
    label: reason ?? '',
    amount,
    hasMore,
  });
  const why = reasonOf(intro);
  return (
    <Row
      main={
        <Link to="/intros/$id" params={{ id }} className="attention-link">
          {text}
        </Link>
      }
      hint={
        <>
          {why} {why !== null && '· '}
          {due !== null && problem !== 'reply_waiting' ? (
            <>
              due <Time at={due} />
            </>
          ) : (
            <Time at={at} />
          )}
        </>
      }
      action={<NextStep intro={intro} />}
    />
  );
}

const webhookText = ({ host, disabled }: IssueOf<'webhook'>): string => {
  if (disabled === null) return `Webhooks to ${host} are failing. We are retrying them.`;
  return disabled === 'gone' ? ATTENTION.webhookGone(host) : ATTENTION.webhookOff(host);
};

interface Description {
  readonly main: string;
  readonly hint?: ReactNode;
  /** The page where it can be fixed. */
  readonly link: LinkProps;
  readonly step: string;
}

const toMember = (id: string): LinkProps => ({ to: '/members/$id', params: { id } });

/** A problem of the setup. */
function describe(issue: OverviewIssue): Description {
  switch (issue.kind) {
    case 'carrier':
      return {
        main: CARRIER[issue.channel][issue.status],
        hint: 'Ask your administrator to fix it: “foreword doctor” shows how.',
        link: { to: '/messages' },
        step: 'Open messages',
      };
    case 'webhook':
      return {
        main: webhookText(issue),
        ...(issue.disabled === null &&
          issue.failing_since !== null && {
            hint: (
              <>
                Failing since <Time at={issue.failing_since} />
              </>
            ),
          }),
        link: { to: '/developers/webhooks/$id', params: { id: issue.id } },
        step: 'View attempts',
      };
    case 'failed_events':
      return {
        main: `${formatCount(issue.amount, 'event')} for ${issue.name} failed in the last week.`,
        hint: FAILURE_REASONS[issue.last_code],
        link: { to: '/events/$id', params: { id: issue.last_event_id } },
        step: 'View latest event',
      };
    case 'never_recorded': {
      const [only] = issue.amount === 1 ? issue.members : [];
      return {
        main: `${names(issue)} ${issue.amount === 1 ? 'was' : 'were'} asked for videos but never recorded one.`,
        link: only === undefined ? { to: '/members' } : toMember(only.id),
        step: only === undefined ? 'Open members' : ATTENTION.openMember,
      };
    }
    case 'email_bounces':
      return {
        main: `Emails to ${formatName(issue)} bounce, so none are sent.`,
        link: toMember(issue.id),
        step: 'Correct the address',
      };
    case 'shared_email':
      return {
        main: `${formatNumber(issue.amount)} active members share the email ${issue.email}. Events that use it fail.`,
        link: { to: '/members', search: { q: issue.email } },
        step: 'Show members',
      };
  }
}

function IssueRow({ issue }: { issue: OverviewIssue }) {
  const { main, hint, link, step } = describe(issue);
  return <Row main={main} hint={hint} action={<LinkButton {...link} kind="quiet" small label={step} />} />;
}

/** Rows shown before "Show all". */
const COLLAPSED_ROWS = 6;

/** Everything that someone has to do something about, in one list. */
export function AttentionCard({ attention: { items, has_more } }: { attention: Attention }) {
  const [all, setAll] = useState(false);
  const isTeam = useMay('manager');
  if (items.length === 0) {
    // A member has other work on the page.
    if (!isTeam) return null;
    return (
      <p className="line soft gap-12">
        <Icon name="check" />
        Nothing needs your attention.
      </p>
    );
  }
  const shown = all ? items : items.slice(0, COLLAPSED_ROWS);
  return (
    <Card title={ATTENTION.title}>
      <ul className="list" aria-label={ATTENTION.title}>
        {shown.map((item, index) =>
          item.kind === 'intro' ? (
            <IntroRow key={item.id} intro={item} hasMore={has_more} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: issues have no id, and no state either.
            <IssueRow key={index} issue={item} />
          ),
        )}
      </ul>
      {shown.length < items.length && (
        <Button kind="plain" small onClick={() => setAll(true)} label={`Show all ${formatNumber(items.length)}`} />
      )}
      {has_more && shown.length === items.length && isTeam && (
        <LinkButton to="/intros" search={{ problem: 'any' }} kind="plain" small label="Show more in Intros" />
      )}
    </Card>
  );
}
