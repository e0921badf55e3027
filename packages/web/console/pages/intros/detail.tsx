import type { ConsoleIntro, TimelineStep } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Loaded, SkeletonRows } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PhonePreview } from '../../parts/phone-preview.tsx';
import { Moment, useFormatMoment } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { NAV } from '../../texts/common.ts';
import { causeOf, holdReason, INTRO, INTROS, MESSAGE, STEP_NAMES } from '../../texts/intros.ts';
import { IntroActions } from './actions.tsx';
import { Details } from './details.tsx';
import { Message } from './messages.tsx';
import { IntroStatus } from './rows.tsx';
import { Webhooks } from './webhooks.tsx';

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
        <Notice tone="bad" title={INTRO.failedTitle[status]}>
          {error.message}
        </Notice>
      )}
      {isOpen && recording?.status === 'refused' && <RefusedTake intro={intro} reason={recording.refusal?.message} />}
      {isOpen && recording?.status === 'uploading' && <Notice>{INTRO.recording.uploading}</Notice>}
      {isOpen && recording?.status === 'uploaded' && <Notice>{INTRO.recording.uploaded}</Notice>}
      {isOpen && recording?.status === 'processing' && (
        <Notice>{INTRO.recording.processing(recording.progress)}</Notice>
      )}
    </div>
  );
}

function RefusedTake({ intro, reason }: { intro: ConsoleIntro; reason: string | undefined }) {
  const retry = useAction({
    run: () => call('POST /intros/:id/retry-recording', { params: { id: intro.id } }),
    topics: ['intros'],
    done: INTRO.recording.retried,
  });
  return (
    <Notice
      tone="warn"
      title={INTRO.recording.refused}
      action={
        intro.actions.retry_recording.possible && (
          <Button kind="quiet" busy={retry.isPending} onClick={() => retry.mutate()}>
            {INTRO.recording.retry}
          </Button>
        )
      }
    >
      {reason}
    </Notice>
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

type Team = NonNullable<ConsoleIntro['team']>;

/** For the integration's developers: its request, the webhooks sent to it, and the API object. */
const Integration = ({ intro, team }: { intro: ConsoleIntro; team: Team }) => (
  <>
    <Webhooks webhooks={team.webhooks} lead={INTRO.webhooksLead} />
    <Card title={INTRO.request} {...(team.request !== null && { lead: INTRO.requestLead(team.request.path) })}>
      {team.request === null ? (
        <p className="message-more">{INTRO.noRequest}</p>
      ) : (
        <>
          <details className="unfold">
            <summary>{INTRO.show}</summary>
            <CodeBlock label={INTRO.request} code={JSON.stringify(team.request.body, null, 2)} />
          </details>
          <p>
            {intro.event_id !== null && (
              <Link to="/events/$id" params={{ id: intro.event_id }}>
                {INTRO.openEvent}
              </Link>
            )}
            {intro.event_id !== null && team.request.request_id !== null && ' · '}
            {team.request.request_id !== null && (
              <Link to="/developers/requests/$id" params={{ id: team.request.request_id }}>
                {INTRO.openRequest}
              </Link>
            )}
          </p>
        </>
      )}
    </Card>
    <Card title={INTRO.object}>
      <details className="unfold">
        <summary>{INTRO.show}</summary>
        <CodeBlock label={`GET /v1/intros/${intro.id}`} code={JSON.stringify(team.raw, null, 2)} />
      </details>
    </Card>
  </>
);

/** The video and, on request, the recipient's page. */
function Video({ intro }: { intro: ConsoleIntro }) {
  const [isPageShown, setPageShown] = useState(false);
  const { media, recorded_at } = intro;
  const name = INTRO.videoFor(formatName(intro.recipient));
  if (media === null) {
    return (
      <Card title={INTRO.video}>
        <p className="message-more">
          {recorded_at === null ? `${INTRO.noVideo}. ${INTRO.noVideoLead}` : INTRO.videoGone}
        </p>
      </Card>
    );
  }
  return (
    <>
      <Card title={INTRO.video}>
        {/* biome-ignore lint/a11y/useMediaCaption: captions exist whenever the script could be aligned with the speech. */}
        <video
          key={media.video_url}
          className="intro-video"
          controls
          playsInline
          preload="none"
          src={media.video_url}
          poster={media.poster_url}
          aria-label={name}
        >
          {media.captions_url !== null && <track kind="captions" src={media.captions_url} label={INTRO.captions} />}
        </video>
      </Card>
      <Card title={INTRO.page} lead={INTRO.pageLead}>
        {isPageShown && <PhonePreview key={media.video_url} label={INTRO.page} src={media.page_url} />}
        <Button kind="quiet" icon="eye" aria-expanded={isPageShown} onClick={() => setPageShown(!isPageShown)}>
          {isPageShown ? INTRO.hidePage : INTRO.showPage}
        </Button>
      </Card>
    </>
  );
}

const BAD: readonly TimelineStep['type'][] = [
  'member_not_told',
  'recording_refused',
  'not_sent',
  'undelivered',
  'cancelled',
  'expired',
];

function describeStep({ detail }: TimelineStep, intro: ConsoleIntro, format: (at: string) => string): string | null {
  if (detail === null) return null;
  const { channel, carrier, percent, message, reason, until, from, to } = detail;
  const members = [intro.member, ...intro.reassignments.flatMap((one) => [one.from, one.to])];
  const nameOf = (id: string | number | undefined) => {
    const member = members.find((one) => one.id === id);
    return member === undefined ? undefined : formatName(member);
  };
  const parts = [
    channel === 'text' ? MESSAGE.byText : channel === 'email' ? MESSAGE.byEmail : undefined,
    carrier === 'simulated' ? MESSAGE.simulated : undefined,
    percent === undefined ? undefined : `${percent}%`,
    from === undefined || to === undefined ? undefined : `${nameOf(from) ?? from} → ${nameOf(to) ?? to}`,
    typeof reason === 'string' ? holdReason(reason) : undefined,
    typeof until === 'string' ? format(until) : undefined,
    message,
  ];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? null : known.join(' · ');
}

function Timeline({ intro }: { intro: ConsoleIntro }) {
  const format = useFormatMoment();
  return (
    <ol className="intro-steps">
      {intro.timeline.map((step, at) => {
        const more = describeStep(step, intro, format);
        const name = BAD.includes(step.type) ? 'intro-step intro-step-bad' : 'intro-step';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended, and two steps of one type may share a time.
          <li key={`${step.type} ${at}`} className={name}>
            <span>{STEP_NAMES[step.type]}</span>
            <span className="intro-step-more">
              <Moment at={step.at} /> · {causeOf(step)}
              {more !== null && ` · ${more}`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
