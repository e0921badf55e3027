import type { TouchpointSummary } from '@foreword/contract';
import { useState } from 'react';
import { AnchorButton, LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { NAV } from '../../texts.ts';
import type { Person } from '../intros/choose-member.tsx';
import { ChooseSample, LoadedSamples, type Samples } from './choose-sample.tsx';
import { readNewKey } from './secret-dialog.tsx';
import { CURL, eventResponse, keySnippet, type Sample } from './snippets.ts';
import { FIRST_STEPS, KEYS, WEBHOOKS } from './texts.ts';

const LINKS = [
  ['/docs/guides/quickstart', FIRST_STEPS.sdkLink],
  ['/docs/reference', FIRST_STEPS.docsLink],
] as const;

function KeyStep({ sample }: { sample: Sample }) {
  const isNew = sample.key !== null;
  return (
    <Card
      title={FIRST_STEPS.keyTitle}
      lead={isNew ? FIRST_STEPS.keyFresh : FIRST_STEPS.keyLead}
      actions={!isNew && <LinkButton to="/developers/keys" kind="quiet" small icon="key" label={KEYS.create} />}
    >
      <CodeBlock code={keySnippet(sample)} label={FIRST_STEPS.keyCode} />
    </Card>
  );
}

function Guide({ touchpoints, members }: Samples) {
  const { organization, public_url: url } = useSession();
  const nowMs = useNowMs();
  const [chosenTouchpoint, setTouchpoint] = useState<TouchpointSummary | null>(null);
  const [chosenMember, setMember] = useState<Person | null>(null);
  const touchpoint = chosenTouchpoint ?? touchpoints.find(({ active }) => active) ?? null;
  const member = chosenMember ?? members.find(({ external_id }) => external_id !== null) ?? members[0] ?? null;
  if (touchpoint === null) return <EmptyState title={FIRST_STEPS.noTouchpoints} />;
  if (member === null) return <EmptyState title={FIRST_STEPS.noMembers} />;
  const sample = { url, key: readNewKey(), touchpoint, member, timezone: organization.timezone, nowMs };
  return (
    <div className="stack">
      <ChooseSample
        touchpoints={touchpoints}
        touchpoint={touchpoint}
        member={member}
        onTouchpoint={setTouchpoint}
        onMember={setMember}
      />
      <KeyStep sample={sample} />
      <Card title={FIRST_STEPS.sendTitle} lead={FIRST_STEPS.sendLead}>
        <CodeBlock code={CURL.send(sample)} label={FIRST_STEPS.send} />
        <p>{FIRST_STEPS.sendResponse}</p>
        <CodeBlock code={eventResponse(sample)} label={FIRST_STEPS.response} />
      </Card>
      <Card title={FIRST_STEPS.watchTitle} lead={FIRST_STEPS.watchLead}>
        <CodeBlock code={CURL.watch(sample)} label={FIRST_STEPS.watch} />
      </Card>
      <Card title={FIRST_STEPS.recordTitle} lead={FIRST_STEPS.recordLead[touchpoint.delivery]}>
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
      <LoadedSamples>{(samples) => <Guide {...samples} />}</LoadedSamples>
    </>
  );
}
