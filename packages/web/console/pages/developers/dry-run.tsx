import type { DryRun, FirstSteps, StepMember, StepTouchpoint } from '@foreword/contract';
import { LANES, LANGUAGES, type Language, TRADES } from '@foreword/contract/plain';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { Input, PhoneInput, TextArea } from '../../parts/input.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { type Option, Select } from '../../parts/select.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { LANGUAGE_NAMES } from '../../texts/common.ts';
import { DRY_RUN } from '../../texts/dry-run.ts';
import { ChooseSample, useSamples } from './choose-sample.tsx';
import { DryRunResult } from './dry-run-result.tsx';
import { appointmentAhead } from './snippets.ts';

/** The form's fields. */
interface EventDraft {
  readonly touchpoint: StepTouchpoint | null;
  readonly member: StepMember | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  /** Empty: not sent. */
  readonly language: Language | '';
  /** The value of a `datetime-local` input. */
  readonly starts: string;
  readonly trade: string;
  readonly lane: string;
}

const EMPTY_DRAFT: EventDraft = {
  touchpoint: null,
  member: null,
  firstName: 'Dana',
  lastName: '',
  phone: '+14155550123',
  language: '',
  starts: '',
  trade: '',
  lane: '',
};

/** The request body. Empty fields are left out, so that the dry run reports missing required fields. */
function eventFrom(draft: EventDraft, timezone: string, nowMs: number): object {
  const { touchpoint, member, firstName, lastName, phone, language, starts, trade, lane } = draft;
  const context = {
    ...(starts !== '' && { appointment: { starts_at: `${starts}:00`, timezone } }),
    ...(trade !== '' && { trade }),
    ...(lane !== '' && { lane }),
  };
  return {
    ...(touchpoint !== null && { touchpoint: touchpoint.slug }),
    occurred_at: new Date(nowMs).toISOString(),
    ...(member !== null && {
      member: member.external_id === null ? { id: member.id } : { external_id: member.external_id },
    }),
    recipient: {
      ...(firstName !== '' && { first_name: firstName }),
      ...(lastName !== '' && { last_name: lastName }),
      ...(phone !== '' && { phone }),
      ...(language !== '' && { language }),
    },
    ...(Object.keys(context).length > 0 && { context }),
  };
}

const LANGUAGE_OPTIONS: readonly Option<Language | ''>[] = [
  { value: '', label: DRY_RUN.languageOfOrganization },
  ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
];

type InputMode = 'build' | 'paste';
const INPUT_MODES = [
  { value: 'build', label: DRY_RUN.build },
  { value: 'paste', label: DRY_RUN.paste },
] as const;
const optionsOf = (values: readonly string[]) => [
  { value: '', label: DRY_RUN.none },
  ...values.map((value) => ({ value, label: value })),
];

interface BuildProps {
  samples: ReturnType<typeof useSamples>;
  loaded: FirstSteps;
  draft: EventDraft;
  onChange: (draft: EventDraft) => void;
}

function BuildEvent({ samples, loaded, draft, onChange }: BuildProps) {
  const { industry, timezone } = useSession().organization;
  const change = (part: Partial<EventDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <ChooseSample
        samples={samples}
        loaded={loaded}
        touchpoint={draft.touchpoint}
        member={draft.member}
        onTouchpoint={(touchpoint) => change({ touchpoint })}
        onMember={(member) => change({ member })}
      />
      <div className="filter-grid">
        <Field label={DRY_RUN.firstName}>
          <Input value={draft.firstName} onChange={(firstName) => change({ firstName })} />
        </Field>
        <Field label={DRY_RUN.lastName} optional>
          <Input value={draft.lastName} onChange={(lastName) => change({ lastName })} />
        </Field>
        <Field label={DRY_RUN.phone}>
          <PhoneInput value={draft.phone} onChange={(phone) => change({ phone })} />
        </Field>
        <Field label={DRY_RUN.language} optional>
          <Select value={draft.language} options={LANGUAGE_OPTIONS} onChange={(language) => change({ language })} />
        </Field>
        <Field
          label={DRY_RUN.starts}
          hint={DRY_RUN.startsHint(timezone)}
          optional={draft.touchpoint?.context !== 'appointment'}
        >
          <Input type="datetime-local" value={draft.starts} onChange={(starts) => change({ starts })} />
        </Field>
        {industry === 'exterior_remodeling' && (
          <>
            <Field label={DRY_RUN.trade} optional>
              <Select value={draft.trade} options={optionsOf(TRADES)} onChange={(trade) => change({ trade })} />
            </Field>
            <Field label={DRY_RUN.lane} optional>
              <Select value={draft.lane} options={optionsOf(LANES)} onChange={(lane) => change({ lane })} />
            </Field>
          </>
        )}
      </div>
    </>
  );
}

function parse(text: string): { readonly event: unknown } | null {
  try {
    return { event: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function Outcome({ result }: { result: DryRun | null }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = container.current?.getBoundingClientRect();
    // On a phone, the result appears below the form, out of view.
    if (result !== null && box !== undefined && box.top > window.innerHeight / 2) container.current?.scrollIntoView();
  }, [result]);
  return (
    <div ref={container} className="outcome" aria-live="polite">
      {result === null ? (
        <EmptyState title={DRY_RUN.waiting}>{DRY_RUN.waitingLead}</EmptyState>
      ) : (
        <DryRunResult result={result} />
      )}
    </div>
  );
}

const firstDraft = ({ touchpoints, members }: FirstSteps, nowMs: number): EventDraft => ({
  ...EMPTY_DRAFT,
  touchpoint: touchpoints.find(({ active }) => active) ?? null,
  member: members[0] ?? null,
  starts: appointmentAhead(nowMs),
});

function DryRunForm({ samples, loaded }: { samples: ReturnType<typeof useSamples>; loaded: FirstSteps }) {
  const { timezone } = useSession().organization;
  const nowMs = useNowMs();
  const [mode, setMode] = useState<InputMode>('build');
  const [draft, setDraft] = useState(() => firstDraft(loaded, nowMs));
  const [text, setText] = useState('');
  const [isInvalidJson, setInvalidJson] = useState(false);
  const [result, setResult] = useState<DryRun | null>(null);
  const run = useAction({
    run: (event: unknown) => call('POST /dry-run', { body: { event } }),
    showsFailure: true,
    onDone: setResult,
  });
  const choose = (next: InputMode) => {
    if (next === 'paste' && text === '') setText(JSON.stringify(eventFrom(draft, timezone, nowMs), null, 2));
    setMode(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (run.isPending) return;
    const sent = mode === 'build' ? { event: eventFrom(draft, timezone, nowMs) } : parse(text);
    setInvalidJson(sent === null);
    if (sent !== null) run.mutate(sent.event);
  };
  return (
    <div className="dry-run">
      <form className="stack" onSubmit={submit}>
        <Segmented label={DRY_RUN.input} value={mode} options={INPUT_MODES} onChange={choose} />
        {mode === 'build' ? (
          <BuildEvent samples={samples} loaded={loaded} draft={draft} onChange={setDraft} />
        ) : (
          <Field label={DRY_RUN.json} hint={DRY_RUN.jsonHint} error={isInvalidJson ? DRY_RUN.notJson : undefined}>
            <TextArea className="code-input" rows={16} spellCheck={false} value={text} onChange={setText} />
          </Field>
        )}
        <FormProblem error={run.error} fields={[]} />
        <div className="button-row">
          <Button type="submit" icon="play" busy={run.isPending}>
            {DRY_RUN.run}
          </Button>
        </div>
      </form>
      <Outcome result={result} />
    </div>
  );
}

export function DryRunPage() {
  const samples = useSamples();
  return (
    <>
      <PageHeader title={DRY_RUN.title} lead={DRY_RUN.lead} />
      <Loaded query={samples.query}>{(loaded) => <DryRunForm samples={samples} loaded={loaded} />}</Loaded>
    </>
  );
}
