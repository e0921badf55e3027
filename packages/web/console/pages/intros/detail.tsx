import type { ConsoleIntro } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { useMay } from '../../session.ts';
import { NAV } from '../../texts/common.ts';
import { INTRO, INTROS } from '../../texts/intros.ts';
import { IntroActions } from './actions.tsx';
import { Details } from './details.tsx';
import { Integration } from './integration.tsx';
import { Message } from './messages.tsx';
import { IntroStatus } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { Video } from './video.tsx';

const route = getRouteApi('/intros/$id');

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
        <Loaded query={query} skeleton={<SkeletonRows rows={6} />}>
          {() => null}
        </Loaded>
      </>
    );
  }
  const intro = query.data;
  const lead = intro.status === 'requested' ? INTRO.toRecord : INTRO.by;
  return (
    <>
      <PageHeader
        title={INTRO.for(formatName(intro.recipient))}
        lead={[intro.touchpoint?.name, lead(formatName(intro.member))].filter(Boolean).join(' · ')}
        back={back}
        badge={<IntroStatus {...intro} />}
        actions={<IntroActions intro={intro} />}
      />
      <Notices intro={intro} />
      <div className="intro-columns">
        <div>
          <Card title={INTRO.timeline}>
            <Timeline intro={intro} />
          </Card>
          <Card title={INTRO.script}>
            {intro.script === null ? (
              <p className="message-more">{INTRO.noScript}</p>
            ) : (
              <p className="intro-script">{intro.script}</p>
            )}
          </Card>
          <Messages intro={intro} />
          <Details intro={intro} />
          {intro.team !== null && <Integration intro={intro} team={intro.team} />}
        </div>
        <div className="intro-side">
          <Video intro={intro} />
        </div>
      </div>
    </>
  );
}

function Notices({ intro }: { intro: ConsoleIntro }) {
  const { delivery_error: error, recording, status } = intro;
  const isOpen = status === 'requested' || status === 'ready';
  return (
    <div className="intro-notices">
      {error !== null && (status === 'ready' || status === 'sent') && (
        <Notice tone="bad" title={INTRO.failedTitle}>
          {error.message}
        </Notice>
      )}
      {isOpen && recording?.status === 'refused' && (
        <Notice tone="warn" title={INTRO.recording.refused}>
          {recording.refusal?.message}
        </Notice>
      )}
      {isOpen && recording?.status === 'uploading' && <Notice>{INTRO.recording.uploading}</Notice>}
      {isOpen && recording?.status === 'uploaded' && <Notice>{INTRO.recording.uploaded}</Notice>}
      {isOpen && recording?.status === 'processing' && (
        <Notice>{INTRO.recording.processing(recording.progress)}</Notice>
      )}
    </div>
  );
}

const Messages = ({ intro: { messages } }: { intro: ConsoleIntro }) => (
  <Card title={INTRO.messages} lead={INTRO.messagesLead}>
    {messages.length === 0 ? (
      <p className="message-more">{INTRO.noMessages}</p>
    ) : (
      <ul className="messages">
        {messages.map((message) => (
          <li key={message.id}>
            <Message message={message} />
          </li>
        ))}
      </ul>
    )}
  </Card>
);
