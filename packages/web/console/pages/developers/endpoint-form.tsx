import type { WebhookEndpoint, WebhookEventChoice } from '@foreword/contract';
import { FieldsDialog, type FieldsDialogProps } from '../../parts/actions.tsx';
import type { FieldInfo } from '../../parts/form.tsx';
import { NAV } from '../../texts.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { WEBHOOKS } from './texts.ts';

const EVERYTHING = '*';

interface EndpointDraft {
  readonly url: string;
  readonly description: string | null;
  readonly choice: 'all' | 'some';
  readonly events: readonly string[];
}

export const NEW_ENDPOINT = { url: '', description: null, events: [EVERYTHING] };

/** Expands patterns such as `intro.*` into event types, one per checkbox. */
const expandEvents = (events: readonly string[], choices: readonly WebhookEventChoice[]): readonly string[] =>
  choices
    .filter(({ type }) => events.some((event) => event === type || event === `${type.split('.')[0]}.*`))
    .map(({ type }) => type);

export const describeEvents = (events: readonly string[]): string =>
  events.includes(EVERYTHING) ? 'All events' : events.join(', ');

/** Shows the parts in backticks as code. */
const withCode = (description: string) =>
  description.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={part}>{part}</code>));

const FIELDS: readonly FieldInfo<EndpointDraft>[] = [
  {
    ...{
      name: 'url',
      label: 'Endpoint URL',
      hint: 'An https URL that can be reached from the internet.',
      kind: 'url',
      most: 2048,
    },
    input: { placeholder: 'https://' },
  },
  {
    name: 'description',
    label: WEBHOOKS.description,
    hint: 'The system behind it, such as “Production CRM”.',
    optional: true,
    most: 200,
  },
  {
    ...{ name: 'choice', label: 'Events to send', kind: 'radios' },
    options: [
      { value: 'all', label: 'All events, including future ones' },
      { value: 'some', label: 'Selected events' },
    ],
  },
];

const chosenEvents = (choices: readonly WebhookEventChoice[]): FieldInfo<EndpointDraft> => ({
  ...{ name: 'events', label: NAV.events, kind: 'checks', missing: 'Select at least one event.' },
  options: choices.map(({ type, says }) => ({ value: type, label: type, hint: withCode(says) })),
});

type Body = Pick<WebhookEndpoint, 'url' | 'description' | 'events'>;

interface EndpointDialogProps<Output>
  extends Pick<
    FieldsDialogProps<EndpointDraft, Output>,
    'title' | 'submit' | 'done' | 'onDone' | 'staysOpen' | 'onClose'
  > {
  draft: Omit<EndpointDraft, 'choice'>;
  choices: readonly WebhookEventChoice[];
  run: (body: Body, key: string) => Promise<Output>;
}

export const EndpointDialog = <Output,>({ draft, choices, run, ...dialog }: EndpointDialogProps<Output>) => (
  <FieldsDialog
    {...dialog}
    list={({ choice }) => (choice === 'all' ? FIELDS : [...FIELDS, chosenEvents(choices)])}
    initial={{
      ...{ url: draft.url, description: draft.description, events: expandEvents(draft.events, choices) },
      choice: draft.events.includes(EVERYTHING) ? 'all' : 'some',
    }}
    run={({ url, description, choice, events: chosen }, key) => {
      const events = (choice === 'all' ? [EVERYTHING] : chosen) as Body['events'];
      // Empty text removes a description.
      return run({ url, description: description ?? '', events }, key);
    }}
    topics={['webhooks']}
  />
);

export const SigningSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <SecretDialog title="Signing secret" lead={WEBHOOKS.secretLead} label="Secret" secret={secret} onDone={onDone} />
);
