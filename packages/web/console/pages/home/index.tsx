/** A member's home: what to record. */

import type { ConsoleIntroRow } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Icon, PageHeader } from '../../parts/display.tsx';
import { List, LoadedRows, usePages } from '../../parts/list.tsx';
import { EmptyState, errorOf, SkeletonRows } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { FRAME, NAV } from '../../texts.ts';
import { IntroStatus } from '../intros/status.tsx';
import { AttentionCard, attentionQuery } from '../overview/attention.tsx';
import { Tasks } from './tasks.tsx';
import { HOME } from './texts.ts';

function Row({ intro }: { intro: ConsoleIntroRow }) {
  const { touchpoint, sent_at, recorded_at, delivery_error: error, opened_at: openedAt } = intro;
  const at = sent_at ?? recorded_at;
  return (
    <Link className="row" to="/intros/$id" params={{ id: intro.id }}>
      <span className="row-text">
        <span className="medium">{formatName(intro.recipient)}</span>
        <span className="hint">
          {touchpoint !== null && `${touchpoint.name} · `}
          {at !== null && <Time at={at} />}
        </span>
        <span className="wrap middle gap-8">
          <IntroStatus {...intro} />
          {openedAt !== null ? (
            <span className="hint">
              opened <Time at={openedAt} />
            </span>
          ) : (
            error !== null && <span className="hint">{error.message}</span>
          )}
        </span>
      </span>
      <Icon name="next" />
    </Link>
  );
}

/** The results of recorded videos, newest first. */
function Recorded() {
  const pages = usePages({
    key: ['intros', 'home', 'recorded'],
    fetch: (after, signal) => call('GET /home/recorded', { query: { starting_after: after ?? undefined } }, signal),
    rowsOf: (page) => page.recorded,
  });
  return (
    <LoadedRows pages={pages} skeleton={<SkeletonRows rows={3} />} empty={<p className="lead">{HOME.recordedEmpty}</p>}>
      {(rows) => <List label="Your recorded videos" rows={rows} render={(intro) => <Row intro={intro} />} />}
    </LoadedRows>
  );
}

/** Live updates report when processing ends, but not its progress, so progress is polled. */
const PROGRESS_POLL_MS = 2_000;

function Content() {
  const home = useQuery({
    ...load(['intros', 'home', 'to record'], 'GET /home'),
    refetchInterval: ({ state }) =>
      state.data?.to_record.some((task) => task.state === 'processing') === true ? PROGRESS_POLL_MS : false,
  });
  // Managers have it on the overview.
  const isTeam = useMay('manager');
  const attention = useQuery(attentionQuery);
  const error = errorOf(home, attention);
  if (error !== undefined) return error;
  // Together, so that nothing moves when the later one arrives.
  if (home.data === undefined || attention.data === undefined) return <SkeletonRows />;
  const { to_record: tasks, has_more_to_record: hasMore } = home.data;
  return (
    <>
      {!isTeam && <AttentionCard attention={attention.data} />}
      <section className="grid gap-16 home-part" aria-labelledby="to-record">
        <h2 id="to-record">To record</h2>
        {tasks.length === 0 ? (
          <EmptyState icon="check" title="Nothing to record">
            Videos you need to record appear here. We’ll notify you when there is one.
          </EmptyState>
        ) : (
          <>
            <Tasks tasks={tasks} />
            {hasMore && <p className="lead">There are more. They appear here as you record these.</p>}
          </>
        )}
      </section>
      <section className="grid gap-16 home-part" aria-labelledby="recorded">
        <h2 id="recorded">Recorded</h2>
        <Recorded />
      </section>
    </>
  );
}

/** The member's open recordings and the results of past ones. */
export const HomePage = () => (
  <>
    <PageHeader title={NAV.home} actions={<LinkButton to="/intros/new" icon="plus" label={FRAME.newIntro} />} />
    <Content />
  </>
);
