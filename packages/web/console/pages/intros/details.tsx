import type { ConsoleIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { formatName, formatPhone, formatTime } from '../../format.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { type Definition, DefinitionList } from '../../parts/card.tsx';
import { Badge } from '../../parts/notice.tsx';
import { Moment } from '../../parts/time.tsx';
import { useMay } from '../../session.ts';
import { LANE_NAMES } from '../../texts/common.ts';
import { EXPORT } from '../../texts/export.ts';
import { INTRO } from '../../texts/intros.ts';
import { StopTexts } from '../consent/index.tsx';

const { detail } = INTRO;

const referenceOf = ({ reference }: ConsoleIntro): string | null =>
  reference === null ? null : [reference.source, reference.type, reference.id].filter(Boolean).join(' · ');

const cancellerOf = ({ cancelled_by: by }: ConsoleIntro): string | null =>
  by === null ? null : by.kind === 'key' ? INTRO.key(by.name ?? by.id) : (by.name ?? by.id);

const laneOf = ({ lane }: ConsoleIntro): string | null =>
  lane === 'retail' || lane === 'insurance' ? LANE_NAMES[lane] : lane;

const metadataOf = ({ metadata }: ConsoleIntro): string | null => {
  const pairs = Object.entries(metadata).map(([name, value]) => `${name}: ${value}`);
  return pairs.length === 0 ? null : pairs.join(' · ');
};

function linksOf(intro: ConsoleIntro, isTeam: boolean): readonly Definition[] {
  const { touchpoint, member, event_id: event } = intro;
  const name = formatName(member);
  return [
    [
      detail.touchpoint,
      touchpoint && isTeam ? (
        <Link key="touchpoint" to="/touchpoints/$slug" params={{ slug: touchpoint.slug }}>
          {touchpoint.name}
        </Link>
      ) : (
        (touchpoint?.name ?? null)
      ),
    ],
    [
      detail.member,
      isTeam ? (
        <Link key="member" to="/members/$id" params={{ id: member.id }}>
          {name}
        </Link>
      ) : (
        name
      ),
    ],
    [
      detail.event,
      event && isTeam ? (
        <Link key="event" to="/events/$id" params={{ id: event }}>
          {event}
        </Link>
      ) : null,
    ],
  ];
}

const RecipientExport = ({ intro }: { intro: string }) => (
  <AnchorButton
    kind="quiet"
    small
    icon="download"
    href={`/console/export/recipient.tar?intro=${encodeURIComponent(intro)}`}
    download
  >
    {EXPORT.downloadRecipient}
  </AnchorButton>
);

export function Details({ intro }: { intro: ConsoleIntro }) {
  const isTeam = useMay('manager');
  const isOwner = useMay('owner');
  const { appointment, expires_at: expires } = intro;
  const [touchpoint, member, event] = linksOf(intro, isTeam);
  const items = [
    touchpoint,
    [detail.title, intro.title],
    member,
    [detail.recipient, formatName(intro.recipient)],
    [
      detail.phone,
      <>
        {formatPhone(intro.recipient.phone)} {intro.recipient_opted_out && <Badge tone="warn">{INTRO.optedOut}</Badge>}
        <StopTexts recipient={intro.recipient} />
      </>,
    ],
    [
      EXPORT.recipient,
      isOwner && intro.recipient.phone !== '' ? <RecipientExport key="export" intro={intro.id} /> : null,
    ],
    [detail.appointment, appointment && formatTime(appointment.starts_at, 'appointment', appointment.timezone)],
    [detail.trade, intro.trade],
    [detail.lane, laneOf(intro)],
    [detail.reference, referenceOf(intro)],
    [detail.delivery, INTRO.delivery[intro.responsibility]],
    [detail.created, <Moment key="created" at={intro.created_at} />],
    [detail.expires, expires && <Moment at={expires} />],
    [detail.cancelledBy, cancellerOf(intro)],
    [detail.metadata, metadataOf(intro)],
    event,
    [detail.id, <code key="id">{intro.id}</code>],
  ].filter((item): item is Definition => item !== undefined);
  return <DefinitionList items={items} />;
}
