import type { Waiting, WaitingIntro } from '@foreword/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { DECLINES } from '../../texts/declines.ts';
import { OVERVIEW } from '../../texts/overview.ts';

const SOON_MS = 86_400_000;

export const useWaiting = () =>
  useQuery({
    queryKey: ['intros', 'waiting'],
    queryFn: ({ signal }) => call('GET /overview/waiting', undefined, signal),
  });

function Due({ at, nowMs }: { at: string | null; nowMs: number }) {
  if (at === null) return <span className="waiting-due">{OVERVIEW.noDeadline}</span>;
  const words = (
    <span>
      {OVERVIEW.due} <Time at={at} />
    </span>
  );
  const isSoon = Date.parse(at) - nowMs < SOON_MS;
  return <span className="waiting-due">{isSoon ? <Badge tone="warn">{words}</Badge> : words}</span>;
}

const Row = ({ intro, nowMs }: { intro: WaitingIntro; nowMs: number }) => (
  <li className="list-row">
    <Link to="/intros/$id" params={{ id: intro.id }} className="row">
      <span className="row-text">
        <span className="row-main">{OVERVIEW.waitingFor(intro.recipient)}</span>
        <span className="row-more">{OVERVIEW.waitingFrom(formatName(intro.member), intro.touchpoint)}</span>
      </span>
      <Due at={intro.expires_at} nowMs={nowMs} />
    </Link>
  </li>
);

/** Without a title: which card is first depends on the data. */
export const WaitingPlaceholder = () => (
  <Card>
    <div className="waiting-skeleton" aria-hidden="true">
      {[1, 2, 3, 4].map((row) => (
        <span key={row} className="skeleton-line" />
      ))}
    </div>
  </Card>
);

/** Intros to record, the next deadline first. */
export function WaitingCard({ query }: { query: UseQueryResult<Waiting, Error> }) {
  const nowMs = useNowMs();
  const all = (
    <Link to="/intros" search={{ status: 'requested' }} className="overview-link">
      {OVERVIEW.waitingAll}
    </Link>
  );
  return (
    <Card title={OVERVIEW.waitingTitle} {...((query.data?.to_record ?? 0) > 0 && { actions: all })}>
      <Loaded query={query}>
        {({ next, declined }) =>
          next.length === 0 ? (
            <p className="overview-soft">{declined.length === 0 ? OVERVIEW.waitingNone : DECLINES.noneElse}</p>
          ) : (
            <ul className="list waiting-list" aria-label={OVERVIEW.waitingTitle}>
              {next.map((intro) => (
                <Row key={intro.id} intro={intro} nowMs={nowMs} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
