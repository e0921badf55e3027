/** Folder: touchpoint events. */

import type { ConsoleEvent } from '@foreword/contract';
import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { formatName, formatPhone } from '../../format.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import { ObjectLink, TouchpointLink } from '../../parts/object-link.tsx';
import { LoadedPage, SkeletonRows } from '../../parts/states.tsx';
import { Moment } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { NAV } from '../../texts.ts';
import { ConsentHistory, OptOutNotice, StopTexts, useConsent } from '../consent/index.tsx';
import { INTRO } from '../intros/texts.ts';
import { WebhookList } from '../intros/webhooks.tsx';
import { EventStatus } from './list.tsx';

type FailureCode = NonNullable<ConsoleEvent['error']>['code'];

/** The first thing to do, because retrying now would fail for this reason. */
const FIX_FIRST: Record<FailureCode, string> = {
  touchpoint_not_found: 'Turn on the touchpoint, then retry here.',
  member_not_found: 'Reactivate the member, then retry here.',
  template_invalid: 'Fix the touchpoint’s script or title, then retry here.',
  recipient_opted_out: 'Foreword can’t text this number, so retrying would fail again.',
  recipient_erased: 'The recipient was erased, so this event can’t be retried.',
  processing_failed: 'Ask your administrator to check the server log.',
};

/** Why retrying an event that failed for this reason would work now. */
const FIXED: Record<FailureCode, string> = {
  touchpoint_not_found: 'The touchpoint is on now. Retry to create the intro.',
  member_not_found: 'The member is active now. Retry to create the intro.',
  template_invalid: 'The script and the title work now. Retry to create the intro.',
  recipient_opted_out: 'The recipient can be texted now. Retry to create the intro.',
  recipient_erased: 'The recipient was erased, so this event can’t be retried.',
  processing_failed: 'Retry. If it fails again, ask your administrator to check the server log.',
};

const route = getRouteApi('/events/$id');
const BACK = { to: '/events', name: NAV.events } as const;

export function EventPage() {
  const { id } = route.useParams();
  const query = load(['intros', 'event', id], 'GET /events/{id}', { params: { id } });
  return (
    <LoadedPage query={query} title="Event" back={BACK}>
      {(event) => (
        <>
          <PageHeader
            title={`Event: ${event.touchpoint.name}`}
            lead={INTRO.for(formatName(event.recipient))}
            back={BACK}
            badge={<EventStatus status={event.status} />}
            actions={<EventAction event={event} />}
          />
          <Content event={event} />
        </>
      )}
    </LoadedPage>
  );
}

function Content({ event }: { event: ConsoleEvent }) {
  const consent = useConsent(event.recipient.phone);
  // The notice about an opt-out would push the rest down.
  if (consent.isLoading) return <SkeletonRows rows={5} />;
  return (
    <>
      <Outcome event={event} />
      <OptOutNotice recipient={event.recipient} />
      <Details event={event} />
      <ConsentHistory recipient={event.recipient} />
      <Card title={INTRO.request}>
        <CodeBlock label="POST /v1/touchpoint-events" code={JSON.stringify(event.request, null, 2)} />
      </Card>
      <Card title={NAV.webhooks}>
        <WebhookList webhooks={event.webhooks} />
      </Card>
      <Card title={INTRO.object}>
        <CodeBlock label={`GET /v1/events/${event.id}`} code={JSON.stringify(event.raw, null, 2)} />
      </Card>
    </>
  );
}

/** Offers only what can work now: open the intro, retry, or fix what would make a retry fail. */
function EventAction({ event }: { event: ConsoleEvent }) {
  if (event.intro_id !== null) {
    return <LinkButton to="/intros/$id" params={{ id: event.intro_id }} icon="video" label="Open intro" />;
  }
  if (event.retry.possible) {
    return (
      <ActionButton
        kind="primary"
        icon="again"
        label="Retry"
        run={() => call('POST /v1/events/{id}/retry', { params: { id: event.id } })}
        topics={['intros']}
        done="Retrying the event."
      />
    );
  }
  switch (event.retry.blocked_by) {
    case 'member_not_found':
      return <LinkButton to="/members/$id" params={{ id: event.member.id }} icon="people" label="Open member" />;
    case 'touchpoint_not_found':
    case 'template_invalid':
      return (
        <LinkButton
          to="/touchpoints/$slug"
          params={{ slug: event.touchpoint.slug }}
          icon="moment"
          label="Open touchpoint"
        />
      );
    default:
      return null;
  }
}

function Outcome({ event }: { event: ConsoleEvent }) {
  const { status, error, retry } = event;
  if (status === 'accepted') return <Notice>Processing. This takes a moment.</Notice>;
  if (error === null) return null;
  return (
    <Notice tone="bad" title="No intro was created">
      {error.message} {retry.blocked_by === null ? FIXED[error.code] : FIX_FIRST[retry.blocked_by]}
    </Notice>
  );
}

function Details({ event }: { event: ConsoleEvent }) {
  const { detail } = INTRO;
  return (
    <Card title={INTRO.details}>
      <DefinitionList
        items={[
          [detail.touchpoint, <TouchpointLink key="touchpoint" {...event.touchpoint} />],
          [detail.member, <ObjectLink key="member" id={event.member.id} name={formatName(event.member)} />],
          [
            detail.phone,
            <>
              {formatPhone(event.recipient.phone)} <StopTexts recipient={event.recipient} />
            </>,
          ],
          [detail.reference, event.reference_id],
          ['Received', <Moment key="received" at={event.created_at} />],
          ['Processed', event.settled_at && <Moment at={event.settled_at} />],
          [INTRO.title, event.intro_id && <ObjectLink key="intro" id={event.intro_id} />],
          [detail.id, <code key="id">{event.id}</code>],
        ]}
      />
    </Card>
  );
}
