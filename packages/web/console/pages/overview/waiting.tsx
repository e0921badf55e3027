import type { DeclinedIntro, UnsentIntro, Waiting, WaitingIntro } from '@foreword/contract';
import { DAY_MS } from '@foreword/contract/plain/times';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatName } from '../../format.ts';
import { Badge, Card, RowText } from '../../parts/display.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { DECLINES } from '../intros/decline-texts.ts';
import { ShareLink } from '../intros/share-link.tsx';
import { OVERVIEW } from './texts.ts';

/** Intros that their member declined: someone has to reassign or cancel them. Nothing when there are none. */
export function DeclinedCard({ declined }: { declined: readonly DeclinedIntro[] }) {
  if (declined.length === 0) return null;
  return (
    <Card title={DECLINES.title} lead={DECLINES.reassignOrCancel}>
      <ul className="list" aria-label={DECLINES.title}>
        {declined.map(({ id, recipient, member, reason, message, expires_at: due }) => (
          <li key={id} className="list-row">
            <Link to="/intros/$id" params={{ id }} className="row">
              <RowText main={OVERVIEW.waitingFor(recipient)}>
                {message ?? DECLINES.from(formatName(member), reason)}
              </RowText>
              <span className="hint rigid">
                {due === null ? (
                  OVERVIEW.noDeadline
                ) : (
                  <Badge tone="warn">
                    <span>
                      {OVERVIEW.due} <Time at={due} />
                    </span>
                  </Badge>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The newest replies of recipients; nothing when there are none. */
export function RepliesCard() {
  const { data } = useQuery(load(['intros', 'replies'], 'GET /overview/replies'));
  if (data === undefined || data.replies.length === 0) return null;
  return (
    <Card title={OVERVIEW.repliesTitle}>
      <ul className="list" aria-label={OVERVIEW.repliesTitle}>
        {data.replies.map(({ intro_id: id, recipient, member, label, message, by_text, replied_at: at }) => (
          <li key={id} className="list-row">
            <Link to="/intros/$id" params={{ id }} className="row">
              <RowText main={by_text ? OVERVIEW.repliedByText(recipient) : OVERVIEW.replied(recipient, label)}>
                {message ?? OVERVIEW.replyTo(formatName(member))}
              </RowText>
              <span className="hint rigid">
                <Time at={at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Recorded intros whose text was not sent: someone has to send the link. Nothing when there are none. */
export function UnsentCard({ unsent }: { unsent: readonly UnsentIntro[] }) {
  if (unsent.length === 0) return null;
  const all = (
    <Link to="/intros" search={{ status: 'ready' }} className="overview-link">
      {OVERVIEW.waitingAll}
    </Link>
  );
  return (
    <Card title={OVERVIEW.toSend} lead={OVERVIEW.unsentLead} actions={all}>
      <ul className="list waiting-list" aria-label={OVERVIEW.toSend}>
        {unsent.map(({ id, recipient, member, reason, recipient_url: url }) => (
          <li key={id} className="list-row grid">
            <Link to="/intros/$id" params={{ id }} className="row">
              <span className="row-text">
                <span className="medium">{OVERVIEW.waitingFor(recipient)}</span>
                <span className="hint">{OVERVIEW.waitingFrom(formatName(member), null)}</span>
                <span className="hint">{reason}</span>
              </span>
            </Link>
            <span className="wrap gap-8 unsent-actions">
              <ShareLink url={url} recipient={recipient} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const SOON_MS = DAY_MS;

export const useWaiting = () => useQuery(load(['intros', 'waiting'], 'GET /overview/waiting'));

function Due({ at, nowMs }: { at: string | null; nowMs: number }) {
  if (at === null) return <span className="hint rigid">{OVERVIEW.noDeadline}</span>;
  const words = (
    <span>
      {OVERVIEW.due} <Time at={at} />
    </span>
  );
  const isSoon = Date.parse(at) - nowMs < SOON_MS;
  return <span className="hint rigid">{isSoon ? <Badge tone="warn">{words}</Badge> : words}</span>;
}

const Row = ({ intro, nowMs }: { intro: WaitingIntro; nowMs: number }) => (
  <li className="list-row">
    <Link to="/intros/$id" params={{ id: intro.id }} className="row">
      <RowText main={OVERVIEW.waitingFor(intro.recipient)}>
        {OVERVIEW.waitingFrom(formatName(intro.member), intro.touchpoint)}
      </RowText>
      <Due at={intro.expires_at} nowMs={nowMs} />
    </Link>
  </li>
);

/** Without a title: which card is first depends on the data. */
export const WaitingPlaceholder = () => (
  <Card>
    <div className="grid gap-8" aria-hidden="true">
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
            <p className="lead">{declined.length === 0 ? OVERVIEW.waitingNone : DECLINES.noneElse}</p>
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
