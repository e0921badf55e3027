import type { ConsoleBody, HomeEvent, NewIntroForm } from '@foreword/contract';
import { type Language, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, Suspense, useRef, useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { formatName, nowMs } from '../../format.ts';
import { lazyComponent } from '../../lazy.ts';
import { Button } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { Field, FormProblem, SelectField, TextField, useFocusProblem } from '../../parts/form.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { load, useAction } from '../../queries.ts';
import { createRetryKeys as create, type RetryKeys } from '../../retry-keys.ts';
import { useMay, useSession } from '../../session.ts';
import { LANGUAGE_OPTIONS, NAV } from '../../texts.ts';
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

type Problems = Partial<Record<'touchpoint' | 'firstName' | 'phone' | 'appointment', string>>;

/** Clears the errors of the fields the user is editing. */
const without = (problems: Problems, fields: readonly string[]): Problems =>
  Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)));

/** Field names as in the server's errors. */
const FIELDS = [
  ...['member', 'touchpoint', 'recipient.first_name', 'recipient.last_name', 'recipient.phone', 'recipient.language'],
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

/** As the server accepts it: separators and a country code included. */
const PHONE_MAX_LENGTH = 40;

interface NewFormProps {
  form: NewIntroForm;
  recorder: RecorderChoice;
  draft: Draft;
  /** Before anything was typed. */
  initial: Draft;
  onChange: (draft: Draft) => void;
  onStarted: (event: HomeEvent) => void;
}

function NewForm({ form: loaded, recorder, draft, initial, onChange, onStarted }: NewFormProps) {
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
    if (Object.keys(found).length === 0) start.mutate({ ...toInput(draft, needsAppointment), ...recorder.input });
    // Waits until the errors are rendered.
    else requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus());
  }

  const hint = chosen && (chosen.delivery === 'service' ? NEW_INTRO.sentByService : NEW_INTRO.sentByIntegration);
  const problemOf = (name: keyof Problems, field: string) => problems[name] ?? fieldProblem(start.error, field);
  return (
    <form ref={form} className="stack" noValidate onSubmit={submit}>
      <UnsavedChanges when={JSON.stringify(draft) !== JSON.stringify(initial)} />
      <Card>
        {recorder.field}
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
        <div className="filters">
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

/** The choice brings a library that is larger than this page, and is only for owners and managers. */
const MemberChoice = lazyComponent(() => import('../intros/choose-member.tsx'), 'MemberChoice');

interface RecorderChoice {
  /** Null for members, who start their own. */
  readonly field: ReactNode;
  readonly input: Pick<NewIntroInput, 'member'>;
  readonly isSelf: boolean;
  readonly name: string;
}

function useRecorder(): RecorderChoice {
  const { member } = useSession();
  const mayChoose = useMay('manager');
  const [chosen, setChosen] = useState<Pick<typeof member, 'id' | 'first_name' | 'last_name'>>(member);
  const isSelf = chosen.id === member.id;
  const field = mayChoose && (
    <Field label={NEW_INTRO.recorder} group {...(!isSelf && { hint: NEW_INTRO.recorderHint })}>
      <Suspense fallback={<span className="input skeleton-line" />}>
        <MemberChoice value={chosen} onChange={setChosen} />
      </Suspense>
    </Field>
  );
  return { field, input: isSelf ? {} : { member: chosen.id }, isSelf, name: formatName(chosen) };
}

const EMPTY: Draft = { touchpoint: '', firstName: '', lastName: '', phone: '', language: '', appointment: '' };

/** Empty, or to the member's own phone. */
function useInitialDraft({ touchpoints, own_phone: phone }: NewIntroForm): Draft {
  const { member } = useSession();
  const { to } = useSearch({ from: '/intros/new' });
  const [only, another] = touchpoints;
  const touchpoint = only !== undefined && another === undefined ? only.slug : '';
  if (to !== 'me') return { ...EMPTY, touchpoint };
  return { ...EMPTY, touchpoint, firstName: member.first_name, lastName: member.last_name, phone: phone ?? '' };
}

function NewIntro({ form, recorder }: { form: NewIntroForm; recorder: RecorderChoice }) {
  const [initial] = useState(useInitialDraft(form));
  const [draft, setDraft] = useState(initial);
  const [started, setStarted] = useState<HomeEvent | null>(null);
  // Another member may have other touchpoints.
  const isOffered = form.touchpoints.some(({ slug }) => slug === draft.touchpoint);
  if (form.touchpoints.length === 0) {
    return (
      <>
        {recorder.field}
        <EmptyState icon="moment" title={NEW_INTRO.noneTitle}>
          {recorder.isSelf ? NEW_INTRO.none : NEW_INTRO.noneFor(recorder.name)}
        </EmptyState>
      </>
    );
  }
  if (started !== null) {
    return (
      <Progress
        started={started}
        firstName={draft.firstName.trim()}
        recorder={recorder.isSelf ? null : recorder.name}
        onChange={() => setStarted(null)}
      />
    );
  }
  return (
    <NewForm
      form={form}
      recorder={recorder}
      draft={isOffered ? draft : { ...draft, touchpoint: '' }}
      initial={initial}
      onChange={setDraft}
      onStarted={setStarted}
    />
  );
}

/** Starts an intro without an event from an integration: one's own, or that of another member. */
export function NewIntroPage() {
  const isTeam = useMay('manager');
  const recorder = useRecorder();
  const { member } = recorder.input;
  const form = useQuery({
    ...load(['touchpoints', 'new intro', member], 'GET /home/touchpoints', { query: { member } }),
    placeholderData: keepPreviousData,
  });
  const back = isTeam ? ({ to: '/intros', name: NAV.intros } as const) : ({ to: '/home', name: NAV.home } as const);
  return (
    <>
      <PageHeader title={NEW_INTRO.title} lead={NEW_INTRO.lead} back={back} />
      <Loaded query={form}>{(loaded) => <NewIntro form={loaded} recorder={recorder} />}</Loaded>
    </>
  );
}
