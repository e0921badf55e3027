import type { ConsoleBody, HomeEvent, NewIntroForm } from '@foreword/contract';
import { type Language, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { keepPreviousData } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Card, PageHeader } from '../../parts/display.tsx';
import { Field, type FieldInfo, Fields, FormProblem, requireAll, tidy, useFocusProblem } from '../../parts/form.tsx';
import { showToast } from '../../parts/overlays.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { load, useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { useMay, useSession } from '../../session.ts';
import { FRAME, LANGUAGE_OPTIONS, NAV } from '../../texts.ts';
import { MemberChoice } from '../intros/choose-member.tsx';
import { Progress } from './progress.tsx';
import { NEW_INTRO } from './texts.ts';

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
async function pickContact(): Promise<Partial<Draft> | null> {
  const [contact] = (await contactsOf(navigator)?.select(['name', 'tel'], { multiple: false })) ?? [];
  if (contact === undefined) return null;
  const [firstName = '', ...rest] = (contact.name?.[0] ?? '').trim().split(/\s+/);
  const lastName = rest.length === 0 ? null : rest.join(' ');
  return {
    ...{ 'recipient.first_name': firstName, 'recipient.last_name': lastName },
    'recipient.phone': contact.tel?.[0] ?? '',
  };
}

type NewIntroInput = Omit<ConsoleBody<'POST /home/intros'>, 'occurred_at'>;

/** The fields have the names of the server's errors. */
interface Draft {
  readonly touchpoint: string;
  readonly 'recipient.first_name': string;
  readonly 'recipient.last_name': string | null;
  readonly 'recipient.phone': string;
  /** Null: the organization's. */
  readonly 'recipient.language': Language | null;
  /** The value of a `datetime-local` field. */
  readonly appointment: string;
}

const EMPTY: Draft = {
  ...{ touchpoint: '', 'recipient.first_name': '', 'recipient.last_name': null, 'recipient.phone': '' },
  ...{ 'recipient.language': null, appointment: '' },
};

function toInput(draft: Draft, needsAppointment: boolean): NewIntroInput {
  const { 'recipient.last_name': lastName, 'recipient.language': language } = draft;
  return {
    touchpoint: draft.touchpoint,
    recipient: {
      first_name: draft['recipient.first_name'],
      ...(lastName !== null && { last_name: lastName }),
      phone: draft['recipient.phone'],
      ...(language !== null && { language }),
    },
    ...(needsAppointment && { appointment: `${draft.appointment}:00` }),
  };
}

/** As the server accepts it: separators and a country code included. */
const PHONE_MAX_LENGTH = 40;

/** The fields of each card. */
function fieldsOf({ touchpoints, timezone }: NewIntroForm, { touchpoint }: Draft) {
  const chosen = touchpoints.find(({ slug }) => slug === touchpoint);
  const hint =
    chosen &&
    (chosen.delivery === 'service' ? 'Sent automatically after you record.' : 'Your office sends it after you record.');
  const name = { most: NAME_MAX_LENGTH, isHalf: true } as const;
  return {
    touchpoint: [
      {
        ...{ name: 'touchpoint', label: 'What is it about?', missing: 'Choose what it is about.', kind: 'select' },
        options: [
          { value: '', label: 'Choose a touchpoint', disabled: true },
          ...touchpoints.map((one) => ({ value: one.slug, label: one.name })),
        ],
        ...(hint !== undefined && { hint }),
      },
    ],
    recipient: [
      { ...name, name: 'recipient.first_name', label: 'First name', missing: NEW_INTRO.required },
      { ...name, name: 'recipient.last_name', label: 'Last name', optional: true },
      {
        ...{
          name: 'recipient.phone',
          label: 'Mobile number',
          hint: 'Outside your country, start with + and the country code.',
          kind: 'tel',
        },
        ...{ missing: NEW_INTRO.required, most: PHONE_MAX_LENGTH },
      },
      {
        ...{
          name: 'recipient.language',
          label: 'Language',
          hint: 'For the script, the page, and the text.',
          kind: 'select',
        },
        ...{ options: LANGUAGE_OPTIONS, optional: true },
      },
    ],
    appointment:
      chosen?.context === 'appointment'
        ? [
            {
              ...{
                name: 'appointment',
                label: 'When is the appointment?',
                hint: `Local time at the appointment (${timezone})`,
              },
              ...({ missing: NEW_INTRO.required, kind: 'time', isHalf: true } as const),
            },
          ]
        : [],
  } satisfies Record<string, readonly FieldInfo<Draft>[]>;
}

/** Fills in a contact from the phone, if the browser supports picking one. */
function FromContacts({ onPick }: { onPick: (fields: Partial<Draft>) => void }) {
  async function pick(): Promise<void> {
    try {
      const contact = await pickContact();
      if (contact !== null) onPick(contact);
    } catch {
      showToast({ kind: 'bad', text: 'Your contacts could not be opened. Type the name and number instead.' });
    }
  }
  return canPickContact() ? (
    <Button kind="quiet" icon="people" onClick={() => void pick()} label="Choose from contacts" />
  ) : null;
}

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
  const keys = useRetryKeys();
  const cards = fieldsOf(loaded, draft);
  const list: readonly FieldInfo<Draft>[] = Object.values(cards).flat();
  const start = useAction({
    async run() {
      requireAll(list, draft);
      const fields = toInput({ ...draft, ...tidy(list, draft) }, cards.appointment.length > 0);
      const input = { ...fields, ...recorder.input };
      const { key, atMs } = keys.of(input);
      return call('POST /home/intros', { body: { ...input, occurred_at: new Date(atMs).toISOString() }, key });
    },
    onDone: onStarted,
    topics: ['intros'],
    showsFailure: true,
  });
  const form = useFocusProblem<HTMLFormElement>(start.error);
  const change = (fields: Partial<Draft>) => onChange({ ...draft, ...fields });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!start.isPending) start.mutate();
  };
  const fields = (card: readonly FieldInfo<Draft>[]) => (
    <Fields list={card} values={draft} error={start.error} onChange={change} />
  );
  return (
    <form ref={form} className="stack" noValidate onSubmit={submit}>
      <UnsavedChanges when={JSON.stringify(draft) !== JSON.stringify(initial)} />
      <Card>
        {recorder.field}
        {fields(cards.touchpoint)}
      </Card>
      <Card title="Who is it for?" actions={<FromContacts onPick={change} />}>
        {fields(cards.recipient)}
      </Card>
      {cards.appointment.length > 0 && <Card>{fields(cards.appointment)}</Card>}
      <FormProblem error={start.error} fields={list.map(({ name }) => name)} />
      <Button type="submit" busy={start.isPending} label="Continue" />
    </form>
  );
}

type RecorderChoice = ReturnType<typeof useRecorder>;

function useRecorder() {
  const { member } = useSession();
  const mayChoose = useMay('manager');
  const [chosen, setChosen] = useState<Pick<typeof member, 'id' | 'first_name' | 'last_name'>>(member);
  const isSelf = chosen.id === member.id;
  // Members start their own.
  const field = mayChoose && (
    <Field
      label="Who records it?"
      group
      {...(!isSelf && { hint: 'They are notified, as for an intro from your systems.' })}
    >
      <MemberChoice value={chosen} onChange={setChosen} />
    </Field>
  );
  const input: Pick<NewIntroInput, 'member'> = isSelf ? {} : { member: chosen.id };
  return { field, input, isSelf, name: formatName(chosen) };
}

/** Empty, or to the member's own phone. */
function useInitialDraft({ touchpoints, own_phone: phone }: NewIntroForm): Draft {
  const { member } = useSession();
  const { to } = useSearch({ from: '/intros/new' });
  const [only, another] = touchpoints;
  const touchpoint = only !== undefined && another === undefined ? only.slug : '';
  if (to !== 'me') return { ...EMPTY, touchpoint };
  const { first_name, last_name } = member;
  return {
    ...{ ...EMPTY, touchpoint, 'recipient.first_name': first_name, 'recipient.last_name': last_name },
    'recipient.phone': phone ?? '',
  };
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
        <EmptyState icon="moment" title="No touchpoint is available">
          {recorder.isSelf ? NEW_INTRO.none : `No touchpoint is turned on for the lanes of ${recorder.name}.`}
        </EmptyState>
      </>
    );
  }
  if (started !== null) {
    return (
      <Progress started={started} recorder={recorder.isSelf ? null : recorder.name} onChange={() => setStarted(null)} />
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
  const query = {
    ...load(['touchpoints', 'new intro', member], 'GET /home/touchpoints', { query: { member } }),
    placeholderData: keepPreviousData,
  };
  const back = isTeam ? ({ to: '/intros', name: NAV.intros } as const) : ({ to: '/home', name: NAV.home } as const);
  return (
    <>
      <PageHeader title={FRAME.newIntro} lead="For a recipient your systems don’t know about yet." back={back} />
      <Loaded query={query}>{(form) => <NewIntro form={form} recorder={recorder} />}</Loaded>
    </>
  );
}
