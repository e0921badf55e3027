import type { TouchpointSummary } from '@foreword/contract';
import type { ReactNode } from 'react';
import { AnchorButton, LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { NAV } from '../../texts.ts';
import { LoadedSample } from './choose-sample.tsx';
import { readNewKey } from './secret-dialog.tsx';
import { CURL, eventResponse, keySnippet, type Sample } from './snippets.ts';
import { FIRST_STEPS, KEYS, WEBHOOKS } from './texts.ts';

const LINKS = [
  ['/docs/guides/quickstart', FIRST_STEPS.sdkLink],
  ['/docs/reference', FIRST_STEPS.docsLink],
] as const;

function Guide({ sample, choice }: { sample: Sample<TouchpointSummary>; choice: ReactNode }) {
  const key = readNewKey();
  return (
    <div className="stack">
      {choice}
      <Card
        title={FIRST_STEPS.keyTitle}
        lead={key === null ? FIRST_STEPS.keyLead : FIRST_STEPS.keyFresh}
        actions={key === null && <LinkButton to="/developers/keys" kind="quiet" small icon="key" label={KEYS.create} />}
      >
        <CodeBlock code={keySnippet(key)} label={FIRST_STEPS.keyCode} />
      </Card>
      <Card title={FIRST_STEPS.sendTitle} lead={FIRST_STEPS.sendLead}>
        <CodeBlock code={CURL.send(sample)} label={FIRST_STEPS.send} />
        <p>{FIRST_STEPS.sendResponse}</p>
        <CodeBlock code={eventResponse(sample)} label={FIRST_STEPS.response} />
      </Card>
      <Card title={FIRST_STEPS.watchTitle} lead={FIRST_STEPS.watchLead}>
        <CodeBlock code={CURL.watch(sample)} label={FIRST_STEPS.watch} />
      </Card>
      <Card title={FIRST_STEPS.recordTitle} lead={FIRST_STEPS.recordLead[sample.touchpoint.delivery]}>
        <CodeBlock code={CURL.record(sample)} label={FIRST_STEPS.record} />
      </Card>
      <Card title={FIRST_STEPS.nextTitle} lead={FIRST_STEPS.nextLead}>
        <div className="form-actions">
          <LinkButton to="/developers/webhooks" hash="new" kind="quiet" icon="plus" label={WEBHOOKS.add} />
          <LinkButton to="/developers/try" kind="quiet" icon="play" label={FIRST_STEPS.tryLink} />
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

export function FirstStepsPage() {
  return (
    <>
      <PageHeader title={NAV.firstSteps} lead={FIRST_STEPS.lead} />
      <LoadedSample>{(sample, choice) => <Guide sample={sample} choice={choice} />}</LoadedSample>
    </>
  );
}
