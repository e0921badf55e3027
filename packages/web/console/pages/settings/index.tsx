/** Folder: settings of the signed-in member, and of the organization. */

import type { HomeSettings, NotifyBy } from '@foreword/contract';
import { LANGUAGES, type Language, PACE, secondsToSay } from '@foreword/contract/plain';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { rememberPace } from '../../../kit/pace.ts';
import { ApiFailure, call, fieldProblem } from '../../api.ts';
import { formatName, formatPhone } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Avatar, Card, DefinitionList, PageHeader } from '../../parts/display.tsx';
import { readBase64 } from '../../parts/file-picker.tsx';
import {
  Field,
  FormProblem,
  type Option,
  RadioGroup,
  SelectField,
  Switch,
  TextField,
  useControl,
  useFocusProblem,
} from '../../parts/form.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { Loaded, Together } from '../../parts/states.tsx';
import { load, useAction } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { LANGUAGE_NAMES, NAV, PARTS } from '../../texts.ts';
import { type Draft, useDraft } from '../../use-draft.ts';
import { OwnLikeness, ownLikenessQuery } from '../likeness/card.tsx';
import { PASSKEYS_QUERY, Passkeys, SIGN_INS_QUERY, SignIns } from './security.tsx';
import { SETTINGS } from './texts.ts';

/** Characters people type between the digits. */
const SEPARATORS = /[\s().\-–/\u00A0\u2011\u202A-\u202E]/g;

/** Removes separators. Never adds a country code: a wrong guess would text a stranger. */
const tidyPhone = (text: string): string => text.replace(SEPARATORS, '').replace(/^00/, '+');

const isWholePhone = (phone: string): boolean => /^\+[1-9]\d{7,14}$/.test(phone);

/** Ten digits may be a US or Canadian number; the user must confirm it. */
const suggestPhone = (phone: string): string | null => {
  const [, digits] = /^1?([2-9]\d{9})$/.exec(phone) ?? [];
  return digits === undefined ? null : `+1${digits}`;
};

/** Formats a stored number for editing, with its country code. */
const formatEditablePhone = (phone: string): string => (phone.startsWith('+1') ? `+1 ${formatPhone(phone)}` : phone);

interface PhoneFieldProps {
  label: string;
  hint: string;
  /** The text as typed. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  optional?: boolean;
}

/** A phone number with its country code. A missing code is suggested, never assumed. */
function PhoneField({ value, onChange, ...field }: PhoneFieldProps) {
  const suggestion = suggestPhone(tidyPhone(value));
  return (
    <div className="grid gap-12">
      <TextField
        {...field}
        type="tel"
        inputMode="tel"
        autoComplete="off"
        maxLength={32}
        value={value}
        onChange={onChange}
      />
      {suggestion !== null && (
        <div>
          <Button kind="quiet" small icon="phone" onClick={() => onChange(suggestion)}>
            {PARTS.phoneSuggestion(formatEditablePhone(suggestion))}
          </Button>
        </div>
      )}
    </div>
  );
}

interface SettingsFields {
  readonly phone: string;
  readonly notify_by: NotifyBy;
  readonly language: Language | null;
  readonly words_per_minute: number;
}

type SettingsDraft = Draft<SettingsFields>;

const SETTINGS_KEY = ['members', 'self'] as const;

const fieldsOf = (settings: HomeSettings): SettingsFields => ({
  phone: formatEditablePhone(settings.phone ?? ''),
  notify_by: settings.notify_by,
  language: settings.language,
  words_per_minute: settings.words_per_minute ?? PACE.usual,
});

/** Sends only the given fields, so that a save never overwrites someone else's change to another field. */
function useSave(draft: SettingsDraft) {
  const queries = useQueryClient();
  return useAction({
    run: ({ phone, ...rest }: Partial<SettingsFields>) =>
      call('POST /home/settings', { body: { ...rest, ...(phone !== undefined && { phone: tidyPhone(phone) }) } }),
    topics: ['members'],
    done: SETTINGS.saved,
    onDone(saved, sent) {
      // The recorder prefers the pace stored on this device to the server's.
      if (sent.words_per_minute !== undefined) rememberPace(sent.words_per_minute);
      queries.setQueryData(SETTINGS_KEY, saved);
      draft.markSaved(sent, fieldsOf(saved));
    },
    showsFailure: true,
  });
}

/** In pixels; photos are displayed much smaller, even on high-density screens. */
const LONGEST_SIDE = 1024;
const QUALITY = 0.9;
/** The server's limit, for pictures this browser can't downscale. */
const MAX_BYTES = 6_000_000;

const unreadable = (): ApiFailure =>
  new ApiFailure({ status: 422, code: 'validation_failed', message: SETTINGS.photoUnreadable });

/** Turns a 12 MB phone photo into about 200 KB. */
async function downscale(file: File): Promise<Blob> {
  // Applies the rotation stored by the phone.
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d');
  if (context === null) return file;
  // JPEG has no transparency: transparent pixels would turn black.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), 'image/jpeg', QUALITY));
}

/** Reads the photo as base64. If this browser can't decode it, sends the original: the server may be able to. */
async function readPhoto(file: File): Promise<string> {
  const picture = await downscale(file).catch(() => file);
  if (picture.size === 0 || picture.size > MAX_BYTES) throw unreadable();
  return readBase64(picture).catch(() => {
    throw unreadable();
  });
}

function Photo({ settings }: { settings: HomeSettings }) {
  const picker = useRef<HTMLInputElement>(null);
  const save = useAction({
    run: async (file: File) => call('POST /home/photo', { body: { photo: await readPhoto(file) } }),
    topics: ['members'],
    done: SETTINGS.photoSaved,
    showsFailure: true,
  });
  const remove = useAction({
    run: () => call('DELETE /home/photo'),
    topics: ['members'],
    done: SETTINGS.photoRemoved,
  });
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const file = currentTarget.files?.[0];
    // Lets the user choose the same file again.
    currentTarget.value = '';
    if (file !== undefined) save.mutate(file);
  };
  const { photo_url: photo } = settings;
  return (
    <div className="wrap gap-20">
      <Avatar name={formatName(settings)} photo={photo} size="large" />
      <div className="grid gap-12">
        <div className="form-actions">
          <Button kind="quiet" icon="upload" busy={save.isPending} onClick={() => picker.current?.click()}>
            {photo === null ? SETTINGS.photoAdd : SETTINGS.photoChange}
          </Button>
          {photo !== null && (
            <Button kind="plain" busy={remove.isPending} onClick={() => remove.mutate()}>
              {SETTINGS.photoRemove}
            </Button>
          )}
        </div>
        <p className="hint">{SETTINGS.photoHint}</p>
        <input
          ref={picker}
          className="sr"
          type="file"
          accept="image/*"
          tabIndex={-1}
          aria-label={SETTINGS.photo}
          onChange={choose}
        />
        <FormProblem error={save.error} fields={[]} />
      </div>
    </div>
  );
}

const You = ({ settings }: { settings: HomeSettings }) => (
  <Card title={SETTINGS.youTitle} lead={SETTINGS.youLead}>
    <Photo settings={settings} />
    <DefinitionList
      items={[
        [SETTINGS.name, formatName(settings)],
        [SETTINGS.role, settings.title],
        [SETTINGS.email, settings.email],
      ]}
    />
  </Card>
);

const CHANNELS: readonly { value: NotifyBy; label: string; hint?: string }[] = [
  { value: 'text', label: SETTINGS.text, hint: SETTINGS.needsPhone },
  { value: 'email', label: SETTINGS.emailOnly },
  { value: 'both', label: SETTINGS.both },
];

const LANGUAGE_OPTIONS: readonly Option<Language | ''>[] = [
  { value: '', label: SETTINGS.languageOfOrganization },
  ...LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
];

interface NotificationsProps {
  draft: SettingsDraft;
  error: unknown;
  /** The problem with the typed number, shown before saving. */
  phoneProblem: string | undefined;
}

/** How and where the member is notified about videos to record. */
function Notifications({ draft, error, phoneProblem }: NotificationsProps) {
  const { phone, notify_by: notifyBy, language } = draft.fields;
  return (
    <Card title={SETTINGS.notificationsTitle} lead={SETTINGS.notificationsLead}>
      <div className="stack">
        <Field group label={SETTINGS.notifyBy} error={fieldProblem(error, 'notify_by')}>
          <RadioGroup
            label={SETTINGS.notifyBy}
            value={notifyBy}
            options={CHANNELS}
            onChange={(notify_by) => draft.change({ notify_by })}
          />
        </Field>
        <PhoneField
          label={SETTINGS.phone}
          hint={SETTINGS.phoneHint}
          value={phone}
          onChange={(typed) => draft.change({ phone: typed })}
          error={phoneProblem ?? fieldProblem(error, 'phone')}
          optional
        />
        <SelectField
          label={SETTINGS.language}
          hint={SETTINGS.languageHint}
          value={language ?? ''}
          options={LANGUAGE_OPTIONS}
          onChange={(chosen) => draft.change({ language: chosen === '' ? null : chosen })}
        />
      </div>
    </Card>
  );
}

const WORDS = SETTINGS.sample.split(' ').map((word, at) => ({ word, at }));
const MINUTE_MS = 60_000;

const classOf = (at: number, current: number): string | undefined => {
  if (at === current) return 'pace-now';
  return at < current ? 'pace-said' : undefined;
};

/** Highlights the sample word by word at this pace. */
function Sample({ pace, running, onEnd }: { pace: number; running: boolean; onEnd: () => void }) {
  const [current, setCurrent] = useState(-1);
  useEffect(() => {
    setCurrent(running ? 0 : -1);
    if (!running) return;
    const startMs = performance.now();
    const timer = setInterval(
      () => {
        const word = Math.floor(((performance.now() - startMs) / MINUTE_MS) * pace);
        if (word >= WORDS.length) onEnd();
        else setCurrent(word);
      },
      MINUTE_MS / PACE.fastest / 4,
    );
    return () => clearInterval(timer);
  }, [running, pace, onEnd]);
  return (
    <p className={running ? 'pace-sample pace-running' : 'pace-sample'}>
      {WORDS.map(({ word, at }) => (
        <span key={at} className={classOf(at, current)}>{`${word} `}</span>
      ))}
    </p>
  );
}

interface SliderProps {
  value: number;
  onChange: (value: number) => void;
}

const Slider = ({ value, onChange }: SliderProps) => {
  const { 'aria-required': _required, ...control } = useControl();
  return (
    <input
      {...control}
      className="pace-slider"
      type="range"
      min={PACE.slowest}
      max={PACE.fastest}
      step={PACE.step}
      value={value}
      aria-valuetext={SETTINGS.paceValue(value)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  );
};

function Pace({ draft }: { draft: SettingsDraft }) {
  const pace = draft.fields.words_per_minute;
  const [running, setRunning] = useState(false);
  const end = useCallback(() => setRunning(false), []);
  return (
    <Card title={SETTINGS.paceTitle} lead={SETTINGS.paceLead}>
      <Field label={SETTINGS.pace} hint={SETTINGS.sampleTakes(Math.round(secondsToSay(WORDS.length, pace)))}>
        <div className="line gap-16">
          <Slider value={pace} onChange={(words_per_minute) => draft.change({ words_per_minute })} />
          <output className="number bold">{pace}</output>
        </div>
      </Field>
      <Sample pace={pace} running={running} onEnd={end} />
      <div className="form-actions">
        <Button kind="quiet" icon={running ? 'close' : 'play'} onClick={() => setRunning(!running)}>
          {running ? SETTINGS.stop : SETTINGS.try}
        </Button>
      </div>
    </Card>
  );
}

/** Only owners get the summary. */
function WeeklySummary({ isOn }: { isOn: boolean }) {
  const queries = useQueryClient();
  const save = useAction({
    run: (weekly_summary: boolean) => call('POST /home/settings', { body: { weekly_summary } }),
    topics: ['members'],
    done: (_saved, weekly_summary) => (weekly_summary ? SETTINGS.summaryOn : SETTINGS.summaryOff),
    onDone: (saved) => queries.setQueryData(SETTINGS_KEY, saved),
  });
  return (
    <Card title={SETTINGS.summaryTitle} lead={SETTINGS.summaryLead}>
      <Switch
        label={SETTINGS.summary}
        // The choice shows at once, and goes back if it could not be saved.
        checked={save.isPending ? save.variables : isOn}
        disabled={save.isPending}
        onChange={(checked) => save.mutate(checked)}
      />
    </Card>
  );
}

/** The settings below the photo, which are saved together. */
function Preferences({ settings }: { settings: HomeSettings }) {
  const draft = useDraft(fieldsOf(settings));
  const save = useSave(draft);
  const form = useFocusProblem<HTMLFormElement>(save.error);
  const [phoneProblem, setPhoneProblem] = useState<string>();
  const discard = () => {
    draft.discard();
    save.reset();
    setPhoneProblem(undefined);
  };
  function submit(event: FormEvent): void {
    event.preventDefault();
    const tidy = tidyPhone(draft.changes.phone ?? '');
    const isValid = tidy === '' || isWholePhone(tidy);
    setPhoneProblem(isValid ? undefined : PARTS.phoneNeedsPlus);
    if (isValid && draft.isDirty && !save.isPending) save.mutate(draft.changes);
  }
  return (
    <form ref={form} className="stack" noValidate onSubmit={submit}>
      <Notifications draft={draft} error={save.error} phoneProblem={phoneProblem} />
      <Pace draft={draft} />
      <SaveBar changed={Object.keys(draft.changes).length} busy={save.isPending} onDiscard={discard}>
        <FormProblem error={save.error} fields={['notify_by', 'phone']} />
      </SaveBar>
      <UnsavedChanges when={draft.isDirty} />
    </form>
  );
}

const OWN_SETTINGS = load(SETTINGS_KEY, 'GET /home/settings');

/** Personal settings of the signed-in member. */
export function AccountPage() {
  const { id } = useSession().member;
  const own = useQuery(OWN_SETTINGS);
  return (
    <>
      <PageHeader title={NAV.account} />
      <Together queries={[OWN_SETTINGS, ownLikenessQuery(id), PASSKEYS_QUERY, SIGN_INS_QUERY]}>
        <Loaded query={own}>
          {(settings) => (
            <>
              <You settings={settings} />
              <Preferences settings={settings} />
              {settings.weekly_summary !== null && <WeeklySummary isOn={settings.weekly_summary} />}
            </>
          )}
        </Loaded>
        <OwnLikeness />
        <Passkeys />
        <SignIns />
      </Together>
    </>
  );
}
