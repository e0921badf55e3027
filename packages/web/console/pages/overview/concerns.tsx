import type { OverviewIssue } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../api.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { OVERVIEW } from '../../texts/overview.ts';

const keyOf = (concern: OverviewIssue): string => {
  switch (concern.kind) {
    case 'carrier':
      return concern.channel;
    case 'webhook':
      return concern.id;
    case 'failed_events':
      return concern.slug;
    case 'shared_email':
      return concern.email;
    case 'never_recorded':
      return concern.kind;
  }
};

function webhookWords({ host, disabled }: Extract<OverviewIssue, { kind: 'webhook' }>): string {
  if (disabled === null) return OVERVIEW.webhookFailing(host);
  return disabled === 'gone' ? OVERVIEW.webhookGone(host) : OVERVIEW.webhookOff(host);
}

/** What it is, and where it is mended. */
function tell(concern: OverviewIssue): { readonly words: string; readonly hint?: ReactNode; readonly link: ReactNode } {
  switch (concern.kind) {
    case 'carrier':
      return {
        words: OVERVIEW.carrier(concern.channel, concern.status),
        hint: OVERVIEW.carrierHint,
        link: <Link to="/outbox">{OVERVIEW.carrierAction}</Link>,
      };
    case 'webhook':
      return {
        words: webhookWords(concern),
        ...(concern.disabled === null &&
          concern.failing_since !== null && {
            hint: (
              <>
                {OVERVIEW.failingSince} <Time at={concern.failing_since} />
              </>
            ),
          }),
        link: (
          <Link to="/developers/webhooks/$id" params={{ id: concern.id }}>
            {OVERVIEW.webhookAction}
          </Link>
        ),
      };
    case 'failed_events':
      return {
        words: OVERVIEW.failedEvents(concern.name, concern.amount, concern.last_code),
        link: (
          <Link to="/events/$id" params={{ id: concern.last_event_id }}>
            {OVERVIEW.failedEventsAction}
          </Link>
        ),
      };
    case 'never_recorded': {
      const [only] = concern.members;
      return {
        words: OVERVIEW.neverRecorded(concern),
        link:
          concern.amount === 1 && only !== undefined ? (
            <Link to="/members/$id" params={{ id: only.id }}>
              {OVERVIEW.neverRecordedAction}
            </Link>
          ) : (
            <Link to="/members">{OVERVIEW.neverRecordedAction}</Link>
          ),
      };
    }
    case 'shared_email':
      return {
        words: OVERVIEW.sharedEmail(concern.email, concern.amount),
        link: (
          <Link to="/members" search={{ q: concern.email }}>
            {OVERVIEW.sharedEmailAction}
          </Link>
        ),
      };
  }
}

function Line({ concern }: { concern: OverviewIssue }) {
  const { words, hint, link } = tell(concern);
  return (
    <li className="concern">
      <Icon name="warn" />
      <div className="concern-words">
        <p>{words}</p>
        {hint !== undefined && <p className="concern-hint">{hint}</p>}
      </div>
      <span className="concern-link">{link}</span>
    </li>
  );
}

/** Quiet where there is nothing: a new organization has enough to look at. */
export function ConcernsCard({ isNew }: { isNew: boolean }) {
  const query = useQuery({
    queryKey: ['overview', 'issues'],
    queryFn: ({ signal }) => call('GET /overview/issues', undefined, signal),
  });
  if (query.isError && query.data === undefined) {
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  }
  const concerns = query.data?.issues ?? [];
  if (concerns.length > 0) {
    return (
      <Card title={OVERVIEW.concernsTitle}>
        <ul className="concerns">
          {concerns.map((concern) => (
            <Line key={`${concern.kind} ${keyOf(concern)}`} concern={concern} />
          ))}
        </ul>
      </Card>
    );
  }
  if (isNew || query.data === undefined) return null;
  return (
    <p className="concerns-none">
      <Icon name="check" />
      {OVERVIEW.concernsNone}
    </p>
  );
}
