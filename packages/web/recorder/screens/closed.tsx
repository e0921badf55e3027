import type { Model, Phase } from '../model.ts';
import { Brand } from '../parts/page.tsx';
import { CLOSED } from '../texts.ts';

export function ClosedScreen({
  model: { state, durable },
  closed: { why, take },
}: {
  model: Model;
  closed: Extract<Phase, { at: 'closed' }>;
}) {
  const { heading, body } = CLOSED[why];
  return (
    <div class="page closed">
      <Brand organization={state.organization} />
      <div class="lead" role="alert">
        <h1 tabIndex={-1}>{heading}</h1>
        <p class="body">{body(state.organization.name)}</p>
        {take === 'removed' && <p class="body">{CLOSED.takeGone}</p>}
        {take === 'kept' && durable && <p class="body">{CLOSED.takeKept}</p>}
      </div>
    </div>
  );
}
