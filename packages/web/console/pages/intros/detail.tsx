/** Folder: intros: lists, filters, details and bulk actions. */

import type { ConsoleIntro, TimelineStep } from '@foreword/contract';
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { formatName, formatPhone, formatTime } from '../../format.ts';
import { AnchorButton, Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Badge, Card, type Definition, DefinitionList, PageHeader, PhonePreview } from '../../parts/display.tsx';
import { ObjectLink, TouchpointLink } from '../../parts/object-link.tsx';
import { LoadedPage } from '../../parts/states.tsx';
import { Moment, Time, useDays, useFormatMoment } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { LANE_NAMES, NAV } from '../../texts.ts';
import { ConsentHistory, OptOutNotice, StopTexts } from '../consent/index.tsx';
import { EXPORT } from '../settings/data-texts.ts';
import { IntroMenu, NextStepCard, useIntroActions } from './actions.tsx';
import { DECLINES } from './decline-texts.ts';
import { Message } from './messages.tsx';
import { IntroStatus } from './status.tsx';
import { causeOf, clickName, holdReason, INTRO, MESSAGE, stepName } from './texts.ts';
import { collapseSteps, findActor, findPerson } from './timeline-steps.ts';
import { WebhookList } from './webhooks.tsx';

interface FoldProps {
  title: string;
  /** How many things are inside. */
  count?: number;
  children: ReactNode;
}

/** A card that is closed at first, because most users do not need its content. */
function Fold({ title, count, children }: FoldProps) {
  const id = useId();
  return (
    <details className="card" aria-labelledby={id}>
      <summary>
        <h2 id={id}>{title}</h2>
        {count !== undefined && <span className="soft figures"> {count}</span>}
      </summary>
      <div className="stack">{children}</div>
    </details>
  );
}

type Media = NonNullable<ConsoleIntro['media']>;

/** The video and, on request, the recipient's page. */
function Video({ media, recipient }: { media: Media; recipient: ConsoleIntro['recipient'] }) {
  const [isPageShown, setPageShown] = useState(false);
  return (
    <section className="grid gap-12" aria-label={INTRO.video}>
      {/* biome-ignore lint/a11y/useMediaCaption: captions exist whenever the script could be aligned with the speech. */}
      <video
        key={media.video_url}
        className="intro-video"
        // Has this shape until the file is loaded, so that nothing moves.
        width={720}
        height={1280}
        controls
        playsInline
        preload="none"
        src={media.video_url}
        poster={media.poster_url}
        aria-label={INTRO.videoFor(formatName(recipient))}
      >
        {media.captions_url !== null && <track kind="captions" src={media.captions_url} label={INTRO.captions} />}
      </video>
      <Button
        kind="quiet"
        icon="eye"
        aria-expanded={isPageShown}
        onClick={() => setPageShown(!isPageShown)}
        label={isPageShown ? INTRO.hidePage : INTRO.showPage}
      />
      {isPageShown && (
        <>
          <p className="hint">{INTRO.pageLead}</p>
          <PhonePreview key={media.video_url} label={INTRO.page} src={media.page_url} />
        </>
      )}
    </section>
  );
}

const BAD: readonly TimelineStep['type'][] = [
  'member_not_told',
  'recording_refused',
  'declined',
  'not_sent',
  'undelivered',
  'answer_not_sent',
  'cancelled',
  'taken_down',
  'expired',
];

function nameOf(step: TimelineStep): string {
  const { type, detail } = step;
  if (type === 'watched') {
    const percent = Number(detail?.percent ?? 0);
    return percent === 100 ? 'Watched to the end' : `Watched to ${percent}%`;
  }
  if (type === 'declined') return DECLINES.step(String(detail?.reason));
  // By the member whose intro it was.
  if (type === 'reassigned' && detail?.member !== undefined && detail.member === detail.from) return 'Handed over';
  return stepName(step);
}

function describeActor(step: TimelineStep, intro: ConsoleIntro): string {
  const actor = findActor(intro, step);
  if (actor !== undefined) return formatName(actor);
  return step.cause === 'member' ? 'your team' : causeOf(step);
}

function describeStep({ type, detail }: TimelineStep, intro: ConsoleIntro, format: (at: string) => string): string[] {
  if (detail === null) return [];
  const { channel, carrier, label, message, note, click, reason, until, state, from, to } = detail;
  const personName = (id: string | number) => {
    const person = findPerson(intro, id);
    return person === undefined ? String(id) : formatName(person);
  };
  const parts = [
    channel === 'text' ? MESSAGE.byText : channel === 'email' ? MESSAGE.byEmail : undefined,
    carrier === 'simulated' ? MESSAGE.testNumber : undefined,
    // A reply to the text has no button.
    label === undefined || detail.reply === 'message' ? undefined : `“${label}”`,
    from === undefined || to === undefined ? undefined : `${personName(from)} → ${personName(to)}`,
    typeof reason === 'string' && type !== 'declined'
      ? holdReason(reason, typeof state === 'string' ? state : null)
      : undefined,
    typeof until === 'string' ? format(until) : undefined,
    typeof message === 'string' ? message : undefined,
    typeof note === 'string' ? note : undefined,
    typeof click === 'string' ? clickName(click) : undefined,
  ];
  return parts.filter((part) => part !== undefined);
}

function Step({ step, intro }: { step: TimelineStep; intro: ConsoleIntro }) {
  const format = useFormatMoment();
  return (
    <li className={BAD.includes(step.type) ? 'grid gap-4 intro-step intro-step-bad' : 'grid gap-4 intro-step'}>
      <span>{nameOf(step)}</span>
      <span className="hint">
        <Time at={step.at} style="timeZone" />
        {[describeActor(step, intro), ...describeStep(step, intro, format)].map((part) => ` · ${part}`)}
      </span>
    </li>
  );
}

/** Each step with its time and who caused it, grouped by day. */
const Timeline = ({ intro }: { intro: ConsoleIntro }) =>
  useDays(collapseSteps(intro.timeline)).map(({ date, name, items: steps }) => (
    <section key={date} className="grid gap-12">
      <h3 className="hint">{name}</h3>
      <ol className="grid">
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended, and two steps of one type may share a time.
          <Step key={`${step.type} ${at}`} step={step} intro={intro} />
        ))}
      </ol>
    </section>
  ));

const { detail } = INTRO;

const referenceOf = ({ reference }: ConsoleIntro): string | null =>
  reference === null ? null : [reference.source, reference.type, reference.id].filter(Boolean).join(' · ');

const laneOf = ({ lane }: ConsoleIntro): string | null =>
  lane === 'retail' || lane === 'insurance' ? LANE_NAMES[lane] : lane;

const RecipientExport = ({ intro }: { intro: string }) => (
  <AnchorButton
    kind="quiet"
    small
    icon="download"
    href={`/console/export/recipient.tar?intro=${encodeURIComponent(intro)}`}
    download
    label={EXPORT.download}
  />
);

function Details({ intro }: { intro: ConsoleIntro }) {
  const isTeam = useMay('manager');
  const isOwner = useMay('owner');
  const { appointment, expires_at: expires, touchpoint, member, event_id: event } = intro;
  const items: readonly Definition[] = [
    [
      detail.touchpoint,
      touchpoint && <TouchpointLink key="touchpoint" slug={touchpoint.slug} name={touchpoint.name} />,
    ],
    [detail.title, intro.title],
    [detail.member, <ObjectLink key="member" id={member.id} name={formatName(member)} />],
    [
      detail.phone,
      intro.recipient.phone === '' ? null : (
        <>
          <PhoneLink phone={intro.recipient.phone} /> <StopTexts recipient={intro.recipient} />
        </>
      ),
    ],
    [
      'Recipient’s data',
      isOwner && intro.recipient.phone !== '' ? <RecipientExport key="export" intro={intro.id} /> : null,
    ],
    [detail.appointment, appointment && formatTime(appointment.starts_at, 'appointment', appointment.timezone)],
    [detail.trade, intro.trade],
    [detail.lane, laneOf(intro)],
    [detail.reference, referenceOf(intro)],
    [detail.delivery, INTRO.delivery[intro.responsibility]],
    [detail.expires, expires && <Moment at={expires} />],
    [detail.event, isTeam ? event && <ObjectLink key="event" id={event} /> : null],
    [detail.id, <code key="id">{intro.id}</code>],
  ];
  return <DefinitionList items={items} />;
}

type Team = NonNullable<ConsoleIntro['team']>;

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="grid gap-12">
    <h3>{title}</h3>
    {children}
  </section>
);

/** The request that created the intro. */
function Request({ request }: { request: Team['request'] }) {
  const isOwner = useMay('owner');
  if (request === null) return <p className="hint">{INTRO.noRequest}</p>;
  return (
    <>
      <CodeBlock label={INTRO.requestLead(request.path)} code={JSON.stringify(request.body, null, 2)} />
      {isOwner && request.request_id !== null && <ObjectLink id={request.request_id} name={INTRO.openRequest} />}
    </>
  );
}

/** Everything that only the people who built the integration need. Members see only the details. */
function Developer({ intro }: { intro: ConsoleIntro }) {
  const { team } = intro;
  if (team === null) {
    return (
      <Fold title={INTRO.details}>
        <Details intro={intro} />
      </Fold>
    );
  }
  return (
    <Fold title={INTRO.developer}>
      <Part title={INTRO.details}>
        <Details intro={intro} />
      </Part>
      <Part title={NAV.webhooks}>
        <WebhookList webhooks={team.webhooks} />
      </Part>
      <Part title={INTRO.request}>
        <Request request={team.request} />
      </Part>
      <Part title={INTRO.object}>
        <CodeBlock label={`GET /v1/intros/${intro.id}`} code={JSON.stringify(team.raw, null, 2)} />
      </Part>
    </Fold>
  );
}

const route = getRouteApi('/intros/$id');

function describeMember({ member, recorded_at, status }: ConsoleIntro): string {
  if (recorded_at !== null) return INTRO.recordedBy(formatName(member));
  return status === 'requested' ? INTRO.toRecord(formatName(member)) : INTRO.notRecorded(formatName(member));
}

export function IntroPage() {
  const { id } = route.useParams();
  const isTeam = useMay('manager');
  const query = load(['intros', 'detail', id], 'GET /intros/{id}', { params: { id } });
  const back = isTeam ? ({ to: '/intros', name: NAV.intros } as const) : ({ to: '/home', name: NAV.home } as const);
  return (
    <LoadedPage query={query} title={INTRO.title} back={back}>
      {(intro) => <LoadedIntro intro={intro} back={back} />}
    </LoadedPage>
  );
}

const PhoneLink = ({ phone }: { phone: string }) => <a href={`tel:${phone}`}>{formatPhone(phone)}</a>;

/** Who records what for whom, and when they meet. */
function Lead({ intro }: { intro: ConsoleIntro }) {
  const { touchpoint, recipient, appointment } = intro;
  const facts = [
    touchpoint?.name,
    describeMember(intro),
    appointment && INTRO.appointmentAt(formatTime(appointment.starts_at, 'dateTime', appointment.timezone)),
  ];
  return (
    <>
      {/* A line never starts with the dot. */}
      {facts.filter(Boolean).join(' · ')}
      {recipient.phone !== '' && (
        <>
          {'\u00A0· '}
          <PhoneLink phone={recipient.phone} />
        </>
      )}{' '}
      {intro.recipient_opted_out && <Badge tone="warn">{INTRO.optedOut}</Badge>}
    </>
  );
}

interface LoadedIntroProps {
  intro: ConsoleIntro;
  back: NonNullable<ComponentProps<typeof PageHeader>['back']>;
}

function LoadedIntro({ intro, back }: LoadedIntroProps) {
  const { media, messages } = intro;
  const isTeam = useMay('manager');
  const { all: actions, dialogs } = useIntroActions(intro);
  return (
    <>
      <PageHeader
        title={intro.recipient.phone === '' ? INTRO.erased : INTRO.for(formatName(intro.recipient))}
        lead={<Lead intro={intro} />}
        back={back}
        badge={<IntroStatus {...intro} />}
        actions={<IntroMenu intro={intro} actions={actions} />}
      />
      {isTeam && <OptOutNotice recipient={intro.recipient} />}
      <div className={media === null ? 'grid gap-20 intro-page' : 'grid gap-20 intro-page intro-with-video'}>
        <NextStepCard intro={intro} actions={actions} />
        {media !== null && <Video media={media} recipient={intro.recipient} />}
        <div className="stack">
          <Card title={INTRO.timeline}>
            <Timeline intro={intro} />
          </Card>
          {media === null && intro.recorded_at !== null && intro.taken_down_at === null && (
            <p className="soft">{INTRO.videoGone}</p>
          )}
          {intro.script !== null && (
            <Fold title={INTRO.script}>
              <p className="script-text">{intro.script}</p>
            </Fold>
          )}
          {messages.length > 0 && (
            <Fold title={NAV.messages} count={messages.length}>
              <ul className="list">
                {messages.map((message) => (
                  <li key={message.id} className="list-row entry">
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
      {dialogs}
    </>
  );
}
