import type { Colleague, DeclineReason } from '@foreword/contract';
import { DECLINE_MESSAGE_MAX_LENGTH, DECLINE_REASONS, foldName, isolated } from '@foreword/contract/plain';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { PROBLEMS, UNABLE } from '#recorder-texts';
import type { Phase } from '../model.ts';
import { Button } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Note, Page, type ScreenProps } from '../parts/page.tsx';

type UnableProps = ScreenProps & { unable: Extract<Phase, { at: 'unable' }> };

export function UnableScreen(props: UnableProps) {
  switch (props.unable.step) {
    case 'choose':
      return <ChooseStep {...props} />;
    case 'colleague':
      return <ColleagueStep {...props} />;
    case 'reason':
      return <ReasonStep {...props} />;
  }
}

interface ChoiceProps {
  icon: IconName;
  title: string;
  lead: string;
  onClick: () => void;
}

const Choice = ({ icon, title, lead, onClick }: ChoiceProps) => (
  <button type="button" class="choice" onClick={onClick}>
    <Icon name={icon} />
    <span>
      <strong>{title}</strong>
      {lead}
    </span>
    <Icon name="forward" />
  </button>
);

const ChooseStep = ({ flow, model }: UnableProps) => (
  <Page model={model} heading={UNABLE.heading(isolated(model.state.intro.recipient.first_name))}>
    <div class="options">
      <Choice
        icon="people"
        title={UNABLE.handOver}
        lead={UNABLE.handOverLead}
        onClick={() => flow.showUnable('colleague')}
      />
      <Choice
        icon="decline"
        title={UNABLE.decline}
        lead={UNABLE.declineLead}
        onClick={() => flow.showUnable('reason')}
      />
    </div>
    <div class="actions">
      <Button kind="quiet" label={UNABLE.back} onClick={() => flow.toStart()} />
    </div>
  </Page>
);

interface OptionsProps<Value> {
  options: readonly { value: Value; label: string }[];
  chosen: Value | null;
  onChoose(value: Value): void;
}

/** One of them answers the question in the heading. */
const Options = <Value,>({ options, chosen, onChoose }: OptionsProps<Value>) => (
  <div role="radiogroup" aria-labelledby="heading" class="options">
    {options.map(({ value, label }, index) => (
      <label key={index} class="option">
        <input type="radio" name="option" checked={value === chosen} onChange={() => onChoose(value)} />
        <span>{label}</span>
      </label>
    ))}
  </div>
);

interface FormProps extends UnableProps {
  /** Null: there is nothing to send. */
  send: { label: string; isReady: boolean; run(): void } | null;
  children: ComponentChildren;
}

/** One step, with what sends it at the end, and the problem next to that. */
function Form({ flow, unable: { note, busy }, send, children }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    send?.run();
  };
  return (
    <form class="form" onSubmit={submit} noValidate>
      {children}
      <div class="actions">
        <div role="alert">{note !== null && <Note tone="bad">{note}</Note>}</div>
        <div class="pair">
          <Button kind="quiet" label={UNABLE.back} onClick={() => flow.showUnable('choose')} />
          {send !== null && (
            <Button
              type="submit"
              label={busy ? UNABLE.sending : send.label}
              disabled={!send.isReady}
              aria-disabled={busy}
            />
          )}
        </div>
      </div>
    </form>
  );
}

/** More names than this need a search. */
const SHORT_LIST = 8;

interface ListProps {
  colleagues: readonly Colleague[];
  chosen: Colleague | null;
  onChoose: (colleague: Colleague) => void;
}

function ColleagueList({ colleagues, chosen, onChoose }: ListProps) {
  const [query, setQuery] = useState('');
  const shown = colleagues.filter(({ name }) => foldName(name).includes(foldName(query)));
  return (
    <>
      {colleagues.length > SHORT_LIST && (
        <input
          type="search"
          class="search"
          aria-label={UNABLE.search}
          placeholder={UNABLE.search}
          autocomplete="off"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
      )}
      <Options
        options={shown.map((colleague) => ({ value: colleague, label: isolated(colleague.name) }))}
        chosen={chosen}
        onChoose={onChoose}
      />
      <p class="body" role="status">
        {shown.length === 0 && UNABLE.noMatch}
      </p>
    </>
  );
}

function ColleagueStep(props: UnableProps) {
  const { flow, model, unable } = props;
  const { busy, colleagues } = unable;
  const [chosen, setChosen] = useState<Colleague | null>(null);
  const isLoading = colleagues === null && busy;
  const hasList = colleagues !== null && colleagues.length > 0;
  const lead = hasList ? UNABLE.colleagueLead : isLoading ? UNABLE.loading : colleagues && UNABLE.noColleagues;
  const send = {
    label: UNABLE.handOverNow,
    isReady: chosen !== null,
    run: () => chosen && void flow.handIntroOver(chosen),
  };
  const reload = { label: PROBLEMS.again, isReady: true, run: () => void flow.loadColleagues() };
  const hasFailed = colleagues === null && !busy;
  return (
    <Page
      model={model}
      heading={UNABLE.colleagueHeading(isolated(model.state.intro.recipient.first_name))}
      lead={lead}
      role="status"
    >
      <Form {...props} send={hasList ? send : hasFailed ? reload : null}>
        {hasList && <ColleagueList colleagues={colleagues} chosen={chosen} onChoose={setChosen} />}
      </Form>
    </Page>
  );
}

function ReasonStep(props: UnableProps) {
  const { flow, model } = props;
  const [reason, setReason] = useState<DeclineReason | null>(null);
  const [words, setWords] = useState('');
  const message = reason === 'other' ? words.replaceAll(/\s+/g, ' ').trim() : null;
  const send = {
    label: UNABLE.decline,
    isReady: reason !== null && message !== '',
    run: () => reason && void flow.decline(reason, message),
  };
  return (
    <Page
      model={model}
      heading={UNABLE.reasonHeading(isolated(model.state.intro.recipient.first_name))}
      lead={UNABLE.reasonLead}
    >
      <Form {...props} send={send}>
        <Options
          options={DECLINE_REASONS.map((value) => ({ value, label: UNABLE.reasons[value] }))}
          chosen={reason}
          onChoose={setReason}
        />
        {reason === 'other' && (
          <div class="words">
            <label for="own-words">{UNABLE.words}</label>
            <textarea
              id="own-words"
              rows={3}
              maxLength={DECLINE_MESSAGE_MAX_LENGTH}
              value={words}
              onInput={({ currentTarget }) => setWords(currentTarget.value)}
            />
          </div>
        )}
      </Form>
    </Page>
  );
}
