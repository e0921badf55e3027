import type { Model, Phase } from '../model.ts';
import { Brand } from '../parts/brand.tsx';
import { CLOSED } from '../texts.ts';

export function ClosedScreen({
  model: { state },
  closed: { why, takeRemoved },
}: {
  model: Model;
  closed: Extract<Phase, { at: 'closed' }>;
}) {
  const { heading, body } = CLOSED[why];
  return (
    <div class="room closed">
      <Brand organization={state.organization} />
      <div class="lead" role="alert">
        <h1 tabIndex={-1}>{heading}</h1>
        <p class="body">{body(state.organization.name)}</p>
        {takeRemoved && <p class="body">{CLOSED.takeGone}</p>}
      </div>
    </div>
  );
}
