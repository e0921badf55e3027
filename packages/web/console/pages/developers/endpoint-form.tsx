import type { WebhookEndpoint, WebhookEventChoice } from '@foreword/contract';
import { FieldsDialog, type FieldsDialogProps } from '../../parts/actions.tsx';
import { type Bound, Checkbox, Field, type FieldInfo, RadioGroup } from '../../parts/form.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { KEYS, WEBHOOKS } from './texts.ts';

const EVERYTHING = '*';

interface EndpointDraft {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
}

export const NEW_ENDPOINT: EndpointDraft = { url: '', description: null, events: [EVERYTHING] };

/** Expands patterns such as `intro.*` into event types, one per checkbox. */
const expandEvents = (events: readonly string[], choices: readonly WebhookEventChoice[]): readonly string[] =>
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

interface EventsProps extends Bound<readonly string[]> {
  choices: readonly WebhookEventChoice[];
}

function Events({ value, error, onChange, choices }: EventsProps) {
  const isAll = value.includes(EVERYTHING);
  const toggle = (type: string, isWanted: boolean) =>
    onChange(choices.map((one) => one.type).filter((each) => (each === type ? isWanted : value.includes(each))));
  return (
    <div className="stack">
      <Field group label={WEBHOOKS.events} error={value.length === 0 ? error : undefined}>
        <RadioGroup
          value={isAll ? 'all' : 'some'}
          options={[
            { value: 'all', label: WEBHOOKS.everything },
            { value: 'some', label: WEBHOOKS.chosen },
          ]}
          onChange={(choice) => onChange(choice === 'all' ? [EVERYTHING] : [])}
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
              checked={value.includes(type)}
              onChange={(isWanted) => toggle(type, isWanted)}
            />
          ))}
        </fieldset>
      )}
    </div>
  );
}

const LIST: readonly FieldInfo<EndpointDraft>[] = [
  {
    ...{ name: 'url', label: WEBHOOKS.url, hint: WEBHOOKS.urlHint, kind: 'url', most: 2048 },
    input: { placeholder: 'https://' },
  },
  { name: 'description', label: WEBHOOKS.description, hint: WEBHOOKS.descriptionHint, optional: true, most: 200 },
  { name: 'events', label: WEBHOOKS.events, missing: WEBHOOKS.noneChosen },
];

type Body = Pick<WebhookEndpoint, 'url' | 'description' | 'events'>;

interface EndpointDialogProps<Output>
  extends Pick<
    FieldsDialogProps<EndpointDraft, Output>,
    'title' | 'submit' | 'done' | 'onDone' | 'staysOpen' | 'onClose'
  > {
  draft: EndpointDraft;
  choices: readonly WebhookEventChoice[];
  run: (body: Body, key: string) => Promise<Output>;
}

export const EndpointDialog = <Output,>({ draft, choices, run, ...dialog }: EndpointDialogProps<Output>) => (
  <FieldsDialog
    {...dialog}
    list={LIST}
    initial={{ ...draft, events: expandEvents(draft.events, choices) }}
    controls={{ events: (bound) => <Events {...bound} choices={choices} /> }}
    // Empty text removes a description.
    run={({ url, description, events }, key) =>
      run({ url, description: description ?? '', events: events as Body['events'] }, key)
    }
    topics={['webhooks']}
  />
);

export const SigningSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <SecretDialog
    title={WEBHOOKS.secretTitle}
    lead={WEBHOOKS.secretLead}
    label={WEBHOOKS.secret}
    secret={secret}
    done={KEYS.done}
    onDone={onDone}
  />
);
