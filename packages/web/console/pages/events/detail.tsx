import type { ConsoleEvent } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName, formatPhone } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Card, DefinitionList } from '../../parts/card.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Loaded, SkeletonRows } from '../../parts/loaded.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Moment } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { ACTIONS, EVENT, INTRO, INTROS } from '../../texts/intros.ts';
import { EventStatus } from '../intros/rows.tsx';
import { Webhooks } from '../intros/webhooks.tsx';

const route = getRouteApi('/events/$id');
const BACK = { to: '/intros', name: INTROS.title } as const;

export function EventPage() {
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ['intros', 'event', id],
    queryFn: ({ signal }) => call('GET /events/:id', { params: { id } }, signal),
  });
  if (query.data === undefined) {
    return (
      <>
        <PageHeader title={EVENT.title} back={BACK} />
        <Loaded query={query} skeleton={<SkeletonRows rows={5} />}>
          {() => null}
        </Loaded>
      </>
    );
  }
  const event = query.data;
  return (
    <>
      <PageHeader
        title={EVENT.named(event.touchpoint.name)}
        lead={INTRO.for(formatName(event.recipient))}
        back={BACK}
        badge={<EventStatus status={event.status} />}
        actions={<EventAction event={event} />}
      />
      <div className="intro-notices">
        <Outcome event={event} />
      </div>
      <Details event={event} />
      <Card title={EVENT.request}>
        <CodeBlock label="POST /v1/touchpoint-events" code={JSON.stringify(event.request, null, 2)} />
      </Card>
      <Webhooks webhooks={event.webhooks} lead={EVENT.webhooksLead} />
      <Card title={EVENT.object}>
        <CodeBlock label={`GET /v1/events/${event.id}`} code={JSON.stringify(event.raw, null, 2)} />
      </Card>
    </>
  );
}

function EventAction({ event }: { event: ConsoleEvent }) {
  const retry = useAction({
    run: () => call('POST /events/:id/retry', { params: { id: event.id } }),
    topics: ['intros'],
    done: ACTIONS.retried,
  });
  if (event.status === 'failed') {
    return (
      <Button icon="again" busy={retry.isPending} onClick={() => retry.mutate()}>
        {ACTIONS.retry}
      </Button>
    );
  }
  if (event.intro_id === null) return null;
  return (
    <LinkButton to="/intros/$id" params={{ id: event.intro_id }} icon="video">
      {EVENT.openIntro}
    </LinkButton>
  );
}

/** Links to the page where the problem can be fixed. */
function FixLink({ event }: { event: ConsoleEvent }) {
  if (event.error?.code === 'member_not_found') {
    return (
      <LinkButton to="/members/$id" params={{ id: event.member.id }} kind="quiet" small>
        {EVENT.openMember}
      </LinkButton>
    );
  }
  return (
    <LinkButton to="/touchpoints/$slug" params={{ slug: event.touchpoint.slug }} kind="quiet" small>
      {EVENT.openTouchpoint}
    </LinkButton>
  );
}

function Outcome({ event }: { event: ConsoleEvent }) {
  if (event.status === 'accepted') return <Notice>{EVENT.waiting}</Notice>;
  if (event.error === null) return null;
  return (
    <Notice tone="bad" title={EVENT.failedTitle} action={<FixLink event={event} />}>
      {event.error.message} {EVENT.whatToDo[event.error.code]}
    </Notice>
  );
}

function Details({ event }: { event: ConsoleEvent }) {
  const { detail } = INTRO;
  return (
    <Card title={EVENT.details}>
      <DefinitionList
        items={[
          [
            detail.touchpoint,
            <Link key="touchpoint" to="/touchpoints/$slug" params={{ slug: event.touchpoint.slug }}>
              {event.touchpoint.name}
            </Link>,
          ],
          [
            detail.member,
            <Link key="member" to="/members/$id" params={{ id: event.member.id }}>
              {formatName(event.member)}
            </Link>,
          ],
          [detail.recipient, formatName(event.recipient)],
          [detail.phone, formatPhone(event.recipient.phone)],
          [detail.reference, event.reference_id],
          [EVENT.received, <Moment key="received" at={event.created_at} />],
          [EVENT.processed, event.settled_at && <Moment at={event.settled_at} />],
          [
            EVENT.intro,
            event.intro_id && (
              <Link to="/intros/$id" params={{ id: event.intro_id }}>
                {event.intro_id}
              </Link>
            ),
          ],
          [detail.id, <code key="id">{event.id}</code>],
        ]}
      />
    </Card>
  );
}
