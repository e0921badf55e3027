import type { ConsoleBody, HomeEvent, NewIntroForm } from '@foreword/contract';
import { LANGUAGES, type Language, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { nowMs } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { FormProblem, type Option, SelectField, TextField, useFocusProblem } from '../../parts/form.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { load, useAction } from '../../queries.ts';
import { createRetryKeys as create, type RetryKeys } from '../../retry-keys.ts';
import { LANGUAGE_NAMES } from '../../texts.ts';
import { Progress } from './progress.tsx';
import { NEW_INTRO } from './texts.ts';

interface PickedContact {
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
}

interface ContactsManager {
  select(
    properties: readonly ('name' | 'tel')[],
    options: { multiple: boolean },
  ): Promise<readonly { readonly name?: readonly string[]; readonly tel?: readonly string[] }[]>;
}

/** Only Chrome on Android supports it. */
const contactsOf = (host: Navigator & { readonly contacts?: ContactsManager }): ContactsManager | null =>
  host.contacts ?? null;

const canPickContact = (): boolean => contactsOf(navigator) !== null;

/** Null when the user picked no contact. */
async function pickContact(): Promise<PickedContact | null> {
  const [contact] = (await contactsOf(navigator)?.select(['name', 'tel'], { multiple: false })) ?? [];
  if (contact === undefined) return null;
  const [firstName = '', ...rest] = (contact.name?.[0] ?? '').trim().split(/\s+/);
  return { firstName, lastName: rest.join(' '), phone: contact.tel?.[0] ?? '' };
}

type NewIntroInput = Omit<ConsoleBody<'POST /home/intros'>, 'occurred_at'>;

/** A retry keeps the time of the first try as `occurred_at`. */
const createRetryKeys = (): RetryKeys<NewIntroInput, { readonly occurred_at: string }> =>
  create(() => ({ occurred_at: new Date(nowMs()).toISOString() }));

interface Draft {
  readonly touchpoint: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  /** Empty: the organization's. */
  readonly language: Language | '';
  /** The value of a `datetime-local` field: `2026-03-12T14:30`. */
  readonly appointment: string;
}

const isTyped = ({ firstName, lastName, phone, appointment }: Draft): boolean =>
  [firstName, lastName, phone, appointment].some((text) => text.trim() !== '');

type Problems = Partial<Record<'touchpoint' | 'firstName' | 'phone' | 'appointment', string>>;

/** Clears the errors of the fields the user is editing. */
const without = (problems: Problems, fields: readonly string[]): Problems =>
  Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)));

/** Field names as in the server's errors. */
const FIELDS = [
  ...['touchpoint', 'recipient.first_name', 'recipient.last_name', 'recipient.phone', 'recipient.language'],
  'appointment',
];

function findProblems(draft: Draft, needsAppointment: boolean): Problems {
  return {
    ...(draft.touchpoint === '' && { touchpoint: NEW_INTRO.chooseTouchpoint }),
    ...(draft.firstName.trim() === '' && { firstName: NEW_INTRO.required }),
    ...(draft.phone.trim() === '' && { phone: NEW_INTRO.required }),
    ...(needsAppointment && draft.appointment === '' && { appointment: NEW_INTRO.required }),
  };
}

function toInput(draft: Draft, needsAppointment: boolean): NewIntroInput {
  const lastName = draft.lastName.trim();
  return {
    touchpoint: draft.touchpoint,
    recipient: {
      first_name: draft.firstName.trim(),
      ...(lastName !== '' && { last_name: lastName }),
      phone: draft.phone.trim(),
      ...(draft.language !== '' && { language: draft.language }),
    },
    ...(needsAppointment && { appointment: `${draft.appointment}:00` }),
  };
}

/** Fills in a contact from the phone, if the browser supports picking one. */
function FromContacts({ onPick }: { onPick: (fields: Partial<Draft>) => void }) {
  async function pick(): Promise<void> {
    try {
      const contact = await pickContact();
      if (contact !== null) onPick(contact);
    } catch {
      showToast({ kind: 'bad', text: NEW_INTRO.contactsFailed });
    }
  }
  return canPickContact() ? (
    <Button kind="quiet" icon="people" onClick={() => void pick()}>
      {NEW_INTRO.fromContacts}
    </Button>
  ) : null;
}

const LANGUAGE_OPTIONS: readonly Option<Language | ''>[] = [
  { value: '', label: NEW_INTRO.languageOfOrganization },
  ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
];

/** As the server accepts it: separators and a country code included. */
const PHONE_MAX_LENGTH = 40;

interface NewFormProps {
  form: NewIntroForm;
  draft: Draft;
  onChange: (draft: Draft) => void;
  onStarted: (event: HomeEvent) => void;
}

function NewForm({ form: loaded, draft, onChange, onStarted }: NewFormProps) {
  const { touchpoints, timezone, phone_example: phoneExample } = loaded;
  const [problems, setProblems] = useState<Problems>({});
  const retryKeys = useRef<ReturnType<typeof createRetryKeys>>(null);
  const chosen = touchpoints.find(({ slug }) => slug === draft.touchpoint);
  const needsAppointment = chosen?.context === 'appointment';
  const start = useAction({
    run: (input: NewIntroInput) => {
      retryKeys.current ??= createRetryKeys();
      return call('POST /home/intros', retryKeys.current(input));
    },
    onDone: onStarted,
    topics: ['intros'],
    showsFailure: true,
  });
  const form = useFocusProblem<HTMLFormElement>(start.error);
  const change = (fields: Partial<Draft>) => {
    onChange({ ...draft, ...fields });
    setProblems((before) => without(before, Object.keys(fields)));
  };

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (start.isPending) return;
    const found = findProblems(draft, needsAppointment);
    setProblems(found);
    if (Object.keys(found).length === 0) start.mutate(toInput(draft, needsAppointment));
    // Waits until the errors are rendered.
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  }

  const hint = chosen && (chosen.delivery === 'service' ? NEW_INTRO.sentByService : NEW_INTRO.sentByIntegration);
  const problemOf = (name: keyof Problems, field: string) => problems[name] ?? fieldProblem(start.error, field);
  return (
    <form ref={form} className="form" noValidate onSubmit={submit}>
      <UnsavedChanges when={isTyped(draft)} />
      <Card>
        <SelectField
          label={NEW_INTRO.touchpoint}
          hint={hint}
          error={problemOf('touchpoint', 'touchpoint')}
          value={draft.touchpoint}
          options={[
            { value: '', label: NEW_INTRO.choose, disabled: true },
            ...touchpoints.map(({ slug, name }) => ({ value: slug, label: name })),
          ]}
          onChange={(touchpoint) => change({ touchpoint })}
        />
      </Card>
      <Card title={NEW_INTRO.recipient} actions={<FromContacts onPick={change} />}>
        <div className="grid gap-20 form-row">
          <TextField
            label={NEW_INTRO.firstName}
            error={problemOf('firstName', 'recipient.first_name')}
            maxLength={NAME_MAX_LENGTH}
            value={draft.firstName}
            onChange={(firstName) => change({ firstName })}
          />
          <TextField
            label={NEW_INTRO.lastName}
            optional
            error={fieldProblem(start.error, 'recipient.last_name')}
            maxLength={NAME_MAX_LENGTH}
            value={draft.lastName}
            onChange={(lastName) => change({ lastName })}
          />
        </div>
        <TextField
          label={NEW_INTRO.phone}
          hint={NEW_INTRO.phoneHint(phoneExample)}
          error={problemOf('phone', 'recipient.phone')}
          type="tel"
          inputMode="tel"
          autoComplete="off"
          maxLength={PHONE_MAX_LENGTH}
          value={draft.phone}
          onChange={(phone) => change({ phone })}
        />
        <SelectField
          label={NEW_INTRO.language}
          hint={NEW_INTRO.languageHint}
          value={draft.language}
          options={LANGUAGE_OPTIONS}
          onChange={(language) => change({ language })}
        />
      </Card>
      {needsAppointment && (
        <Card>
          <TextField
            label={NEW_INTRO.appointment}
            hint={NEW_INTRO.appointmentHint(timezone)}
            error={problemOf('appointment', 'appointment')}
            type="datetime-local"
            className="new-when"
            value={draft.appointment}
            onChange={(appointment) => change({ appointment })}
          />
        </Card>
      )}
      <FormProblem error={start.error} fields={FIELDS} />
      <div className="form-actions">
        <Button type="submit" busy={start.isPending}>
          {NEW_INTRO.begin}
        </Button>
      </div>
    </form>
  );
}

function NewIntro({ form }: { form: NewIntroForm }) {
  const [only, another] = form.touchpoints;
  const [draft, setDraft] = useState<Draft>({
    touchpoint: only !== undefined && another === undefined ? only.slug : '',
    firstName: '',
    lastName: '',
    phone: '',
    language: '',
    appointment: '',
  });
  const [started, setStarted] = useState<HomeEvent | null>(null);
  if (only === undefined) {
    return (
      <EmptyState icon="moment" title={NEW_INTRO.noneTitle}>
        {NEW_INTRO.none}
      </EmptyState>
    );
  }
  if (started !== null) {
    return <Progress started={started} firstName={draft.firstName.trim()} onChange={() => setStarted(null)} />;
  }
  return <NewForm form={form} draft={draft} onChange={setDraft} onStarted={setStarted} />;
}

/** Lets a member start an intro without an event from an integration. */
export function NewIntroPage() {
  const touchpoints = useQuery(load(['touchpoints', 'home'], 'GET /home/touchpoints'));
  return (
    <>
      <PageHeader title={NEW_INTRO.title} lead={NEW_INTRO.lead} back={{ to: '/home', name: NEW_INTRO.home }} />
      <Loaded query={touchpoints}>{(form) => <NewIntro form={form} />}</Loaded>
    </>
  );
}
