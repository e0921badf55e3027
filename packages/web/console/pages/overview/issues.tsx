import type { OverviewIssue, SetupChecklist } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { IconButton } from '../../parts/button.tsx';
import { Card, Icon } from '../../parts/display.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { OVERVIEW } from './texts.ts';

const ITEMS = [
  ['has_brand', '/organization/brand'],
  ['has_members', '/members'],
  ['has_carrier', '/organization/texting'],
  ['has_event', '/developers'],
  ['has_text', '/intros/new'],
] as const;

type Item = (typeof ITEMS)[number][0];

/** The key starts with the topic `intros`, so that every intro change refreshes it. */
export const useSetup = () => useQuery(load(['intros', 'setup'], 'GET /overview/setup'));

/** Until a text has arrived, which proves that everything before it works. */
export const isSetUp = ({ has_text, dismissed }: SetupChecklist): boolean => has_text || dismissed;

function Row({ item, to, done }: { item: Item; to: (typeof ITEMS)[number][1]; done: boolean }) {
  const { title, lead } = OVERVIEW.setupItems[item];
  return (
    <li>
      <Link to={to} className={done ? 'line gap-12 setup-item setup-item-done' : 'line gap-12 setup-item'}>
        <span className="middle rigid setup-mark">
          {done && <Icon name="check" />}
          <span className="sr">{done ? OVERVIEW.setupDone : OVERVIEW.setupOpen}</span>
        </span>
        <span className="grid narrow">
          <span className="medium setup-title">{title}</span>
          {!done && <span className="hint">{lead}</span>}
        </span>
      </Link>
    </li>
  );
}

/** The steps left before recipients get texts. Dismissing the list applies to the whole organization. */
export function SetupCard({ setup }: { setup: SetupChecklist }) {
  const dismiss = useAction({
    run: () => call('POST /overview/setup/dismiss'),
    topics: ['intros'],
    done: OVERVIEW.setupDismissed,
  });
  const done = ITEMS.filter(([item]) => setup[item]).length;
  return (
    <Card
      title={OVERVIEW.setupTitle}
      lead={OVERVIEW.setupProgress(done, ITEMS.length)}
      actions={
        <IconButton
          icon="close"
          label={OVERVIEW.setupDismiss}
          aria-disabled={dismiss.isPending}
          onClick={() => dismiss.isPending || dismiss.mutate()}
        />
      }
    >
      <ol className="setup">
        {ITEMS.map(([item, to]) => (
          <Row key={item} item={item} to={to} done={setup[item]} />
        ))}
      </ol>
    </Card>
  );
}

const keyOf = (issue: OverviewIssue): string => {
  switch (issue.kind) {
    case 'carrier':
      return issue.channel;
    case 'webhook':
      return issue.id;
    case 'failed_events':
      return issue.slug;
    case 'shared_email':
      return issue.email;
    case 'email_bounces':
      return issue.id;
    case 'never_recorded':
      return issue.kind;
  }
};

function webhookText({ host, disabled }: Extract<OverviewIssue, { kind: 'webhook' }>): string {
  if (disabled === null) return OVERVIEW.webhookFailing(host);
  return disabled === 'gone' ? OVERVIEW.webhookGone(host) : OVERVIEW.webhookOff(host);
}

/** Describes the issue and links to the page where it can be fixed. */
function describe(issue: OverviewIssue): {
  readonly words: string;
  readonly hint?: ReactNode;
  readonly link: ReactNode;
} {
  switch (issue.kind) {
    case 'carrier':
      return {
        words: OVERVIEW.carrier(issue.channel, issue.status),
        hint: OVERVIEW.carrierHint,
        link: <Link to="/messages">{OVERVIEW.carrierAction}</Link>,
      };
    case 'webhook':
      return {
        words: webhookText(issue),
        ...(issue.disabled === null &&
          issue.failing_since !== null && {
            hint: (
              <>
                {OVERVIEW.failingSince} <Time at={issue.failing_since} />
              </>
            ),
          }),
        link: (
          <Link to="/developers/webhooks/$id" params={{ id: issue.id }}>
            {OVERVIEW.webhookAction}
          </Link>
        ),
      };
    case 'failed_events':
      return {
        words: OVERVIEW.failedEvents(issue.name, issue.amount, issue.last_code),
        link: (
          <Link to="/events/$id" params={{ id: issue.last_event_id }}>
            {OVERVIEW.failedEventsAction}
          </Link>
        ),
      };
    case 'never_recorded': {
      const [only] = issue.members;
      return {
        words: OVERVIEW.neverRecorded(issue),
        link:
          issue.amount === 1 && only !== undefined ? (
            <Link to="/members/$id" params={{ id: only.id }}>
              {OVERVIEW.neverRecordedAction}
            </Link>
          ) : (
            <Link to="/members">{OVERVIEW.neverRecordedAction}</Link>
          ),
      };
    }
    case 'email_bounces':
      return {
        words: OVERVIEW.emailBounces(formatName(issue)),
        link: (
          <Link to="/members/$id" params={{ id: issue.id }}>
            {OVERVIEW.emailBouncesAction}
          </Link>
        ),
      };
    case 'shared_email':
      return {
        words: OVERVIEW.sharedEmail(issue.email, issue.amount),
        link: (
          <Link to="/members" search={{ q: issue.email }}>
            {OVERVIEW.sharedEmailAction}
          </Link>
        ),
      };
  }
}

function Line({ issue }: { issue: OverviewIssue }) {
  const { words, hint, link } = describe(issue);
  return (
    <li className="wrap issue">
      <Icon name="warn" />
      <div className="issue-text">
        <p>{words}</p>
        {hint !== undefined && <p className="hint">{hint}</p>}
      </div>
      <span className="issue-link">{link}</span>
    </li>
  );
}

/** Hidden for a new organization without issues. */
export function IssuesCard({ isNew }: { isNew: boolean }) {
  const query = useQuery(load(['overview', 'issues'], 'GET /overview/issues'));
  if (query.isError && query.data === undefined) {
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  }
  const issues = query.data?.issues ?? [];
  if (issues.length > 0) {
    return (
      <Card title={OVERVIEW.issuesTitle}>
        <ul className="issues">
          {issues.map((issue) => (
            <Line key={`${issue.kind} ${keyOf(issue)}`} issue={issue} />
          ))}
        </ul>
      </Card>
    );
  }
  if (isNew || query.data === undefined) return null;
  return (
    <p className="line soft gap-10 issues-none">
      <Icon name="check" />
      {OVERVIEW.issuesNone}
    </p>
  );
}
