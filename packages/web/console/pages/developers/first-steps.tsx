import type { TouchpointSummary } from '@foreword/contract';
import { type ReactNode, useState } from 'react';
import { AnchorButton, LinkButton } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { Segmented } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { NAV } from '../../texts.ts';
import type { Person } from '../intros/choose-member.tsx';
import { ChooseSample, LoadedSamples, type Samples } from './choose-sample.tsx';
import { readNewKey } from './secret-dialog.tsx';
import { CURL, eventResponse, keySnippet, RECEIVER, type Sample, TYPESCRIPT } from './snippets.ts';
import { FIRST_STEPS, KEYS, WEBHOOKS } from './texts.ts';

type Language = 'curl' | 'typescript';
const LANGUAGES = [
  { value: 'curl', label: 'curl' },
  { value: 'typescript', label: 'TypeScript' },
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

interface StepProps {
  step: 'send' | 'watch' | 'record';
  title: string;
  lead: string;
  sample: Sample;
  language: Language;
  children?: ReactNode;
}

const CURL_LABELS = { send: FIRST_STEPS.send, watch: FIRST_STEPS.watch, record: FIRST_STEPS.record } as const;
const FILES = { send: 'send.ts', watch: 'watch.ts', record: 'record.ts' } as const;

const Step = ({ step, title, lead, sample, language, children }: StepProps) => (
  <Card title={title} lead={lead}>
    <CodeBlock
      code={language === 'curl' ? CURL[step](sample) : TYPESCRIPT[step](sample)}
      label={language === 'curl' ? FIRST_STEPS.curl(CURL_LABELS[step]) : FIRST_STEPS.file(FILES[step])}
    />
    {children}
  </Card>
);

function Guide({ touchpoints, members }: Samples) {
  const { organization, public_url: url } = useSession();
  const nowMs = useNowMs();
  const [language, setLanguage] = useState<Language>('curl');
  const [chosenTouchpoint, setTouchpoint] = useState<TouchpointSummary | null>(null);
  const [chosenMember, setMember] = useState<Person | null>(null);
  const touchpoint = chosenTouchpoint ?? touchpoints.find(({ active }) => active) ?? null;
  const member = chosenMember ?? members.find(({ external_id }) => external_id !== null) ?? members[0] ?? null;
  if (touchpoint === null) return <EmptyState title={FIRST_STEPS.noTouchpoints} />;
  if (member === null) return <EmptyState title={FIRST_STEPS.noMembers} />;
  const sample = { url, key: readNewKey(), touchpoint, member, timezone: organization.timezone, nowMs };
  const shown = { sample, language };
  return (
    <div className="stack">
      <ChooseSample
        touchpoints={touchpoints}
        touchpoint={touchpoint}
        member={member}
        onTouchpoint={setTouchpoint}
        onMember={setMember}
      />
      <Segmented label={FIRST_STEPS.language} value={language} options={LANGUAGES} onChange={setLanguage} />
      <KeyStep sample={sample} />
      <Step step="send" title={FIRST_STEPS.sendTitle} lead={FIRST_STEPS.sendLead} {...shown}>
        <p>{FIRST_STEPS.sendResponse}</p>
        <CodeBlock code={eventResponse(sample)} label={FIRST_STEPS.response} />
      </Step>
      <Step step="watch" title={FIRST_STEPS.watchTitle} lead={FIRST_STEPS.watchLead} {...shown} />
      <Step
        step="record"
        title={FIRST_STEPS.recordTitle}
        lead={FIRST_STEPS.recordLead[touchpoint.delivery]}
        {...shown}
      />
      <Card
        title={FIRST_STEPS.webhookTitle}
        lead={FIRST_STEPS.webhookLead}
        actions={
          <LinkButton to="/developers/webhooks" hash="new" kind="quiet" small icon="plus" label={WEBHOOKS.add} />
        }
      >
        <CodeBlock code={RECEIVER} label={FIRST_STEPS.file('receive.ts')} />
      </Card>
      <Card title={FIRST_STEPS.nextTitle}>
        <div className="form-actions">
          <LinkButton to="/developers/try" kind="quiet" icon="play" label={FIRST_STEPS.tryLink} />
          <AnchorButton
            href="/docs/reference"
            target="_blank"
            rel="noreferrer"
            kind="quiet"
            icon="outside"
            label={FIRST_STEPS.docsLink}
          />
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
