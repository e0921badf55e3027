import type { TouchpointSummary } from '@foreword/contract';
import type { ReactNode } from 'react';
import { AnchorButton, LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { NAV } from '../../texts.ts';
import { LoadedSample } from './choose-sample.tsx';
import { readNewKey } from './secret-dialog.tsx';
import { CURL, eventResponse, keySnippet, type Sample } from './snippets.ts';
import { KEYS, WEBHOOKS } from './texts.ts';

const FIRST_STEPS = {
  lead: 'Get your first video with your own touchpoints and members. Copy each snippet and run it.',
  keyFresh: 'This is the key you just created. It stays here until you leave the console.',
  sendLead:
    'The touchpoint decides the script, the page, and the delivery. Texts to the number +15005550123 are simulated. With a provider connected, use your own number to see what a recipient sees.',
  watchLead: 'Find it by the ID of your own record. Its status is “requested” until the member records.',
  recordLead: {
    service:
      'A simulated member records a video. A few seconds later, the status is “sent” and recipient_url is the recipient’s page. The text to the test number is simulated.',
    integration:
      'A simulated member records a video. A few seconds later, the status is “ready” and recipient_url is the recipient’s page, which your system sends.',
  },
  nextLead:
    'A webhook notifies your system, so it doesn’t have to poll. The quickstart does all of this with the TypeScript SDK.',
} as const;

const LINKS = [
  ['/docs/guides/quickstart', 'Read the quickstart'],
  ['/docs/reference', 'Read the API reference'],
] as const;

function Guide({ sample, choice }: { sample: Sample<TouchpointSummary>; choice: ReactNode }) {
  const key = readNewKey();
  return (
    <div className="stack">
      {choice}
      <Card
        title="1. Get a key"
        lead={key === null ? 'Every request needs an API key.' : FIRST_STEPS.keyFresh}
        actions={key === null && <LinkButton to="/developers/keys" kind="quiet" small icon="key" label={KEYS.create} />}
      >
        <CodeBlock code={keySnippet(key)} label="In your terminal" />
      </Card>
      <Card title="2. Send an event" lead={FIRST_STEPS.sendLead}>
        <CodeBlock code={CURL.send(sample)} label="curl: send the event" />
        <p>The response is 202, and you’re done. If you send the event again, the status is “duplicate”.</p>
        <CodeBlock code={eventResponse(sample)} label="Response" />
      </Card>
      <Card title="3. Check the intro" lead={FIRST_STEPS.watchLead}>
        <CodeBlock code={CURL.watch(sample)} label="curl: find the intro" />
      </Card>
      <Card title="4. Simulate a recording" lead={FIRST_STEPS.recordLead[sample.touchpoint.delivery]}>
        <CodeBlock code={CURL.record(sample)} label="curl: simulate the recording" />
      </Card>
      <Card title="5. Next steps" lead={FIRST_STEPS.nextLead}>
        <div className="form-actions">
          <LinkButton to="/developers/webhooks" hash="new" kind="quiet" icon="plus" label={WEBHOOKS.add} />
          <LinkButton to="/developers/try" kind="quiet" icon="play" label="Try an event without sending it" />
          {LINKS.map(([href, label]) => (
            <AnchorButton
              key={href}
              href={href}
              target="_blank"
              rel="noreferrer"
              kind="quiet"
              icon="outside"
              label={label}
            />
          ))}
        </div>
      </Card>
    </div>
  );
}

export const FirstStepsPage = () => (
  <>
    <PageHeader title={NAV.firstSteps} lead={FIRST_STEPS.lead} />
    <LoadedSample>{(sample, choice) => <Guide sample={sample} choice={choice} />}</LoadedSample>
  </>
);
