import type { DeclineReason } from '@foreword/contract';
import { DECLINE_MESSAGE_MAX_LENGTH, DECLINE_REASONS, isolated } from '@foreword/contract/plain';
import { useState } from 'preact/hooks';
import { UNABLE } from '#recorder-texts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Brand } from '../parts/page.tsx';
import { FormActions, type UnableProps } from '../parts/unable-form.tsx';
import { ColleagueStep } from './colleague.tsx';

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

function ChooseStep({ flow, model }: UnableProps) {
  const { organization, intro } = model.state;
  return (
    <div class="page">
      <Brand organization={organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{UNABLE.heading(isolated(intro.recipient.first_name))}</h1>
      </div>
      <div class="choices">
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
        <button type="button" class="button quiet" onClick={() => flow.toStart()}>
          {UNABLE.back}
        </button>
      </div>
    </div>
  );
}

function ReasonStep({ flow, model, unable: { note, busy } }: UnableProps) {
  const [reason, setReason] = useState<DeclineReason | null>(null);
  const [words, setWords] = useState('');
  const { organization, intro } = model.state;
  const submit = (event: Event) => {
    event.preventDefault();
    const message = words.replaceAll(/\s+/g, ' ').trim();
    if (reason === null) return flow.complain(UNABLE.chooseReason);
    if (reason === 'other' && message === '') return flow.complain(UNABLE.writeReason);
    void flow.decline(reason, reason === 'other' ? message : null);
  };
  return (
    <form class="page" onSubmit={submit} noValidate>
      <Brand organization={organization} />
      <div class="lead">
        <h1 tabIndex={-1} id="unable">
          {UNABLE.reasonHeading(isolated(intro.recipient.first_name))}
        </h1>
        <p class="body">{UNABLE.reasonLead}</p>
      </div>
      <div role="radiogroup" aria-labelledby="unable" class="options">
        {DECLINE_REASONS.map((one) => (
          <label key={one} class="option">
            <input type="radio" name="reason" checked={reason === one} onChange={() => setReason(one)} />
            <span>{UNABLE.reasons[one]}</span>
          </label>
        ))}
      </div>
      {reason === 'other' && (
        <div class="words">
          <label for="own-words">{UNABLE.words}</label>
          <textarea
            id="own-words"
            rows={3}
            maxLength={DECLINE_MESSAGE_MAX_LENGTH}
            value={words}
            aria-describedby="words-hint"
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <em id="words-hint">{UNABLE.wordsHint(DECLINE_MESSAGE_MAX_LENGTH)}</em>
        </div>
      )}
      <FormActions flow={flow} note={note} busy={busy} label={UNABLE.decline} />
    </form>
  );
}
