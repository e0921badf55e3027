import { isolated } from '@foreword/contract/plain';
import { CLOSED, UNABLE } from '#recorder-texts';
import type { Phase } from '../model.ts';
import { Button } from '../parts/button.tsx';
import { NextIntro } from '../parts/other-intros.tsx';
import { Page, type ScreenProps } from '../parts/page.tsx';

type Closed = Extract<Phase, { at: 'closed' }>;

function describe({ why, to }: Closed, organization: string): { heading: string; body: string } {
  if (why === 'reassigned')
    return { heading: UNABLE.reassignedHeading(isolated(to ?? '')), body: UNABLE.reassignedBody };
  const { heading, body } = CLOSED[why];
  return { heading, body: body(organization) };
}

/** Reasons that concern this intro alone. */
const LEADS_ON: readonly Closed['why'][] = ['reassigned', 'cancelled', 'expired'];

export function ClosedScreen({ recorder, model, closed }: ScreenProps & { closed: Closed }) {
  const { why, take } = closed;
  const { heading, body } = describe(closed, model.state.organization.name);
  const lead = (
    <>
      <p class="body">{body}</p>
      {take === 'removed' && <p class="body">{CLOSED.takeGone}</p>}
      {take === 'kept' && model.durable && <p class="body">{CLOSED.takeKept}</p>}
    </>
  );
  return (
    <Page model={model} heading={heading} lead={lead} role="alert">
      {LEADS_ON.includes(why) && <NextIntro recorder={recorder} />}
    </Page>
  );
}

/** The member declined, and may change their mind until someone else records the intro. */
export const DeclinedScreen = ({ recorder, flow, model }: ScreenProps) => (
  <Page model={model} heading={UNABLE.declinedHeading} lead={UNABLE.declinedBody} role="status">
    <NextIntro recorder={recorder} />
    <div class="actions">
      <Button kind="plain" icon="camera" label={UNABLE.recordAnyway} onClick={() => flow.recordAnyway()} />
    </div>
  </Page>
);
