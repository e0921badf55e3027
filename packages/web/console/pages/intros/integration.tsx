import type { ConsoleIntro } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { Card } from '../../parts/card.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { INTRO } from '../../texts/intros.ts';
import { Webhooks } from './webhooks.tsx';

type Team = NonNullable<ConsoleIntro['team']>;

/** For the integration's developers: its request, the webhooks sent to it, and the API object. */
export const Integration = ({ intro, team }: { intro: ConsoleIntro; team: Team }) => (
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
