import type { Waiting, WaitingIntro } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { OVERVIEW } from '../../texts/overview.ts';

const SOON_MS = 86_400_000;

function Due({ at, isSoon }: { at: string; isSoon: boolean }) {
  const words = (
    <span>
      {OVERVIEW.due} <Time at={at} />
    </span>
  );
  return isSoon ? <Badge tone="warn">{words}</Badge> : words;
}

function Row({ intro, nowMs }: { intro: WaitingIntro; nowMs: number }) {
  const { id, recipient, member, touchpoint, requested_at, expires_at } = intro;
  return (
    <li className="list-row">
      <Link to="/intros/$id" params={{ id }} className="row">
        <span className="row-text">
          <span className="row-main">{OVERVIEW.waitingFor(recipient)}</span>
          <span className="row-more">{OVERVIEW.waitingFrom(formatName(member), touchpoint)}</span>
        </span>
        <span className="waiting-times">
          <span>
            {OVERVIEW.requested} <Time at={requested_at} />
          </span>
          {expires_at !== null && <Due at={expires_at} isSoon={Date.parse(expires_at) - nowMs < SOON_MS} />}
        </span>
      </Link>
    </li>
  );
}

function Amounts({ waiting }: { waiting: Waiting }) {
  const { to_record, due_soon, to_send, counted_up_to } = waiting;
  const amounts = [
    { amount: to_record, words: OVERVIEW.toRecord, isWarning: false },
    { amount: due_soon, words: OVERVIEW.dueSoon, isWarning: due_soon > 0 },
    { amount: to_send, words: OVERVIEW.toSend, isWarning: false },
  ];
  return (
    <ul className="amounts">
      {amounts.map(({ amount, words, isWarning }) => (
        <li key={words} className={isWarning ? 'amount amount-warn' : 'amount'}>
          <strong>{OVERVIEW.upTo(amount, counted_up_to)}</strong> <span>{words}</span>
        </li>
      ))}
    </ul>
  );
}

/** Open intros, oldest first. */
export function WaitingCard() {
  const nowMs = useNowMs();
  const query = useQuery({
    queryKey: ['intros', 'waiting'],
    queryFn: ({ signal }) => call('GET /overview/waiting', undefined, signal),
  });
  const all = (
    <Link to="/intros" search={{ status: 'requested' }} className="overview-link">
      {OVERVIEW.waitingAll}
    </Link>
  );
  return (
    <Card title={OVERVIEW.waitingTitle} {...((query.data?.to_record ?? 0) > 0 && { actions: all })}>
      <Loaded query={query}>
        {(waiting) => (
          <>
            <Amounts waiting={waiting} />
            {waiting.oldest.length === 0 ? (
              <p className="overview-soft">{OVERVIEW.waitingNone}</p>
            ) : (
              <div>
                <h3>{OVERVIEW.waitingOldest}</h3>
                <ul className="list waiting-list" aria-label={OVERVIEW.waitingOldest}>
                  {waiting.oldest.map((intro) => (
                    <Row key={intro.id} intro={intro} nowMs={nowMs} />
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
