import { isolated } from '@foreword/contract/plain';
import { CLOSED, UNABLE } from '#recorder-texts';
import type { Model, Phase } from '../model.ts';
import { NextIntro } from '../parts/next-intro.tsx';
import { Brand } from '../parts/page.tsx';
import type { Recorder } from '../recorder.ts';

type Closed = Extract<Phase, { at: 'closed' }>;

function describe(closed: Closed, organization: string): { heading: string; body: string } {
  if (closed.why === 'reassigned') {
    return { heading: UNABLE.reassignedHeading(isolated(closed.to ?? '')), body: UNABLE.reassignedBody };
  }
  const { heading, body } = CLOSED[closed.why];
  return { heading, body: body(organization) };
}

export function ClosedScreen({
  model: { state, durable },
  closed,
  recorder,
}: {
  recorder: Recorder;
  model: Model;
  closed: Closed;
}) {
  const { why, take } = closed;
  const { heading, body } = describe(closed, state.organization.name);
  return (
    <div class="page closed">
      <Brand organization={state.organization} />
      <div class="lead" role="alert">
        <h1 tabIndex={-1}>{heading}</h1>
        <p class="body">{body}</p>
        {take === 'removed' && <p class="body">{CLOSED.takeGone}</p>}
        {take === 'kept' && durable && <p class="body">{CLOSED.takeKept}</p>}
      </div>
      {why === 'reassigned' && <NextIntro recorder={recorder} />}
    </div>
  );
}
