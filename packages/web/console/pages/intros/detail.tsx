/** Folder: intros: lists, filters, details and bulk actions. */

import type { ConsoleIntro } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName, formatPhone, formatTime } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Badge } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useMay } from '../../session.ts';
import { FRAME, NAV } from '../../texts/common.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { INTRO } from '../../texts/intros.ts';
import { ConsentHistory, OptOutNotice } from '../consent/index.tsx';
import { IntroMenu } from './actions.tsx';
import { Developer } from './developer.tsx';
import { Fold } from './fold.tsx';
import { Message } from './messages.tsx';
import { NextStepCard } from './next-step-card.tsx';
import { IntroStatus } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { Video } from './video.tsx';

const route = getRouteApi('/intros/$id');

function describeMember({ member, recorded_at, status }: ConsoleIntro): string {
  if (recorded_at !== null) return INTRO.recordedBy(formatName(member));
  return status === 'requested' ? INTRO.toRecord(formatName(member)) : INTRO.notRecorded(formatName(member));
}

export function IntroPage() {
  const { id } = route.useParams();
  const isTeam = useMay('manager');
  const query = useQuery({
    queryKey: ['intros', 'detail', id],
    queryFn: ({ signal }) => call('GET /intros/:id', { params: { id } }, signal),
  });
  const back = isTeam ? ({ to: '/intros', name: INTROS.title } as const) : ({ to: '/home', name: NAV.home } as const);
  if (query.data === undefined) {
    return (
      <>
        <PageHeader title={INTRO.title} back={back} />
        <Loaded query={query} skeleton={<Skeleton />}>
          {() => null}
        </Loaded>
      </>
    );
  }
  const intro = query.data;
  return (
    <>
      <PageHeader
        title={intro.recipient.phone === '' ? INTRO.erased : INTRO.for(formatName(intro.recipient))}
        lead={<Lead intro={intro} />}
        back={back}
        badge={<IntroStatus {...intro} />}
        actions={<IntroMenu intro={intro} />}
      />
      {isTeam && (
        <div className="notices">
          <OptOutNotice recipient={intro.recipient} />
        </div>
      )}
      <Content intro={intro} />
    </>
  );
}

/** Who records what for whom, and when they meet. */
function Lead({ intro }: { intro: ConsoleIntro }) {
  const { touchpoint, recipient, appointment } = intro;
  const facts = [
    touchpoint?.name,
    describeMember(intro),
    formatPhone(recipient.phone),
    appointment && INTRO.appointmentAt(formatTime(appointment.starts_at, 'dateTime', appointment.timezone)),
  ];
  return (
    <>
      {facts.filter(Boolean).join(' · ')} {intro.recipient_opted_out && <Badge tone="warn">{INTRO.optedOut}</Badge>}
    </>
  );
}

function Content({ intro }: { intro: ConsoleIntro }) {
  const { media, messages } = intro;
  const isTeam = useMay('manager');
  return (
    <div className={media === null ? 'intro-columns' : 'intro-columns intro-with-video'}>
      {media !== null && <Video media={media} recipient={intro.recipient} />}
      <div>
        <NextStepCard intro={intro} />
        <Card title={INTRO.timeline}>
          <Timeline intro={intro} />
        </Card>
        {media === null && intro.recorded_at !== null && intro.taken_down_at === null && (
          <p className="intro-gone">{INTRO.videoGone}</p>
        )}
        {intro.script !== null && (
          <Fold title={INTRO.script}>
            <p className="intro-script">{intro.script}</p>
          </Fold>
        )}
        {messages.length > 0 && (
          <Fold title={INTRO.messages} count={messages.length}>
            <ul className="messages">
              {messages.map((message) => (
                <li key={message.id}>
                  <Message message={message} />
                </li>
              ))}
            </ul>
          </Fold>
        )}
        {isTeam && <ConsentHistory recipient={intro.recipient} />}
        <Developer intro={intro} />
      </div>
    </div>
  );
}

/** Blocks in the places of the next step, the timeline and the closed cards. */
const Skeleton = () => (
  <div className="skeleton" role="status">
    <span className="sr">{FRAME.loading}</span>
    <span className="skeleton-line" />
    <span className="skeleton-line intro-skeleton-timeline" />
    <span className="skeleton-line" />
    <span className="skeleton-line" />
    <span className="skeleton-line" />
  </div>
);
