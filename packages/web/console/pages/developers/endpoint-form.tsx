import type { WebhookEndpoint, WebhookEventChoice } from '@foreword/contract';
import { fieldProblem } from '../../api.ts';
import { Checkbox, Field, RadioGroup, TextField } from '../../parts/form.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WEBHOOKS } from './texts.ts';

export const EVERYTHING = '*';

interface EndpointDraft {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
}

/** The request fields. Empty text removes a description. */
export const bodyOf = ({
  url,
  description,
  events,
}: EndpointDraft): Pick<WebhookEndpoint, 'url' | 'description' | 'events'> => ({
  url: url.trim(),
  description: description.trim(),
  events: events as WebhookEndpoint['events'],
});

/** Expands patterns such as `intro.*` into event types, one per checkbox. */
export const expandEvents = (events: readonly string[], choices: readonly WebhookEventChoice[]): readonly string[] =>
  events.includes(EVERYTHING)
    ? [EVERYTHING]
    : choices
        .filter(({ type }) => events.some((event) => event === type || event === `${type.split('.')[0]}.*`))
        .map(({ type }) => type);

export const describeEvents = (events: readonly string[]): string =>
  events.includes(EVERYTHING) ? WEBHOOKS.allEvents : events.join(', ');

/** Shows the parts in backticks as code. */
const withCode = (description: string) =>
  description.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>));

interface EndpointFieldsProps {
  draft: EndpointDraft;
  choices: readonly WebhookEventChoice[];
  onChange: (draft: EndpointDraft) => void;
  error: unknown;
}

export function EndpointFields({ draft, choices, onChange, error }: EndpointFieldsProps) {
  const isAll = draft.events.includes(EVERYTHING);
  const isMissing = draft.events.length === 0 && fieldProblem(error, 'events') !== undefined;
  const toggle = (type: string, isWanted: boolean) =>
    onChange({
      ...draft,
      events: choices.map((one) => one.type).filter((each) => (each === type ? isWanted : draft.events.includes(each))),
    });
  return (
    <>
      <TextField
        label={WEBHOOKS.url}
        hint={WEBHOOKS.urlHint}
        error={fieldProblem(error, 'url')}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={draft.url}
        maxLength={2048}
        onChange={(url) => onChange({ ...draft, url })}
      />
      <TextField
        label={WEBHOOKS.description}
        hint={WEBHOOKS.descriptionHint}
        error={fieldProblem(error, 'description')}
        optional
        value={draft.description}
        maxLength={200}
        onChange={(description) => onChange({ ...draft, description })}
      />
      <Field group label={WEBHOOKS.events} error={isMissing ? WEBHOOKS.noneChosen : undefined}>
        <RadioGroup
          value={isAll ? 'all' : 'some'}
          options={[
            { value: 'all', label: WEBHOOKS.everything },
            { value: 'some', label: WEBHOOKS.chosen },
          ]}
          onChange={(choice) => onChange({ ...draft, events: choice === 'all' ? [EVERYTHING] : [] })}
        />
      </Field>
      {!isAll && (
        <fieldset className="grid gap-12">
          <legend className="sr">{WEBHOOKS.chosen}</legend>
          {choices.map(({ type, says }) => (
            <Checkbox
              key={type}
              label={<code>{type}</code>}
              hint={withCode(says)}
              checked={draft.events.includes(type)}
              onChange={(isWanted) => toggle(type, isWanted)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

interface SigningSecretProps {
  secret: string | null;
  onDone: () => void;
}

export const SigningSecret = ({ secret, onDone }: SigningSecretProps) => (
  <SecretDialog
    title={WEBHOOKS.secretTitle}
    lead={WEBHOOKS.secretLead}
    label={WEBHOOKS.secret}
    secret={secret}
    done={WEBHOOKS.secretDone}
    onDone={onDone}
  />
);
