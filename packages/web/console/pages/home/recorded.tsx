import type { HomeIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { List } from '../../parts/list.tsx';
import { ErrorState, SkeletonRows } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { Pager, usePages } from '../../parts/pager.tsx';
import { Time } from '../../parts/time.tsx';
import { HOME } from '../../texts/home.ts';

/** Delivery problem, watched, opened, or sent. */
function Status({ intro }: { intro: HomeIntro }) {
  const { delivery_problem: problem, watched_percent: watched } = intro;
  if (problem !== null) {
    return (
      <>
        <Badge tone="bad">{HOME.problem[intro.status]}</Badge>
        <span className="row-more">{problem}</span>
      </>
    );
  }
  const { opened_at: openedAt } = intro;
  if (openedAt !== null) {
    return (
      <>
        {watched > 0 ? <Badge tone="good">{HOME.watched(watched)}</Badge> : <Badge tone="info">{HOME.opened}</Badge>}
        <span className="row-more">
          {watched > 0 && HOME.openedWhen} <Time at={openedAt} />
        </span>
      </>
    );
  }
  if (watched > 0) return <Badge tone="good">{HOME.watched(watched)}</Badge>;
  return <Badge>{intro.status === 'sent' ? HOME.sent : HOME.ready[intro.responsibility]}</Badge>;
}

/** The first letter is capitalized by CSS when there is no touchpoint. */
function Since({ intro: { touchpoint, sent_at, recorded_at } }: { intro: HomeIntro }) {
  const at = sent_at ?? recorded_at;
  const word = sent_at === null ? HOME.since.recorded : HOME.since.sent;
  return (
    <span className="row-more recorded-since">
      {touchpoint !== null && `${touchpoint} · `}
      {at !== null && (
        <span>
          {word} <Time at={at} />
        </span>
      )}
    </span>
  );
}

function Row({ intro }: { intro: HomeIntro }) {
  return (
    <Link className="row" to="/intros/$id" params={{ id: intro.id }}>
      <span className="row-text">
        <span className="row-main">{formatName(intro.recipient)}</span>
        <Since intro={intro} />
        <span className="recorded-status">
          <Status intro={intro} />
        </span>
      </span>
      <Icon name="next" />
    </Link>
  );
}

/** The results of recorded videos, newest first. */
export function Recorded() {
  const { rows, query } = usePages({
    key: ['intros', 'home', 'recorded'],
    fetch: (after, signal) => call('GET /home/recorded', { query: { starting_after: after ?? undefined } }, signal),
    rowsOf: (page) => page.recorded,
    nextOf: (page) => (page.has_more ? (page.recorded.at(-1)?.id ?? null) : null),
  });
  if (rows === undefined) {
    return query.isError ? (
      <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
    ) : (
      <SkeletonRows rows={3} />
    );
  }
  if (rows.length === 0) return <p className="home-empty">{HOME.recordedEmpty}</p>;
  return (
    <>
      <List
        label={HOME.recordedList}
        rows={rows}
        keyOf={({ id }) => id}
        render={(intro) => <Row intro={intro} />}
        rowHeight={104}
      />
      <Pager query={query} />
    </>
  );
}
