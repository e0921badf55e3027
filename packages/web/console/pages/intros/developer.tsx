import type { ConsoleIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../parts/copy.tsx';
import { INTRO } from '../../texts/intros.ts';
import { Details } from './details.tsx';
import { Fold } from './fold.tsx';
import { WebhookList } from './webhooks.tsx';

type Team = NonNullable<ConsoleIntro['team']>;

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="developer-part">
    <h3>{title}</h3>
    {children}
  </section>
);

/** The request that created the intro, with links to it. */
function Request({ intro, request }: { intro: ConsoleIntro; request: Team['request'] }) {
  if (request === null) return <p className="message-more">{INTRO.noRequest}</p>;
  return (
    <>
      <CodeBlock label={INTRO.requestLead(request.path)} code={JSON.stringify(request.body, null, 2)} />
      <p>
        {intro.event_id !== null && (
          <Link to="/events/$id" params={{ id: intro.event_id }}>
            {INTRO.openEvent}
          </Link>
        )}
        {intro.event_id !== null && request.request_id !== null && ' · '}
        {request.request_id !== null && (
          <Link to="/developers/requests/$id" params={{ id: request.request_id }}>
            {INTRO.openRequest}
          </Link>
        )}
      </p>
    </>
  );
}

/** Everything that only the people who built the integration need. Members see only the details. */
export function Developer({ intro }: { intro: ConsoleIntro }) {
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
      <Part title={INTRO.webhooks}>
        <WebhookList webhooks={team.webhooks} />
      </Part>
      <Part title={INTRO.request}>
        <Request intro={intro} request={team.request} />
      </Part>
      <Part title={INTRO.object}>
        <CodeBlock label={`GET /v1/intros/${intro.id}`} code={JSON.stringify(team.raw, null, 2)} />
      </Part>
    </Fold>
  );
}
