/** Folder: settings of the signed-in member, and of the organization. */

import type { HomeSettings } from '@foreword/contract';
import { PACE, SCRIPT_FIT_WORDS, secondsToSay } from '@foreword/contract/plain';
import { call } from '../../api.ts';
import { formatName, formatNumber } from '../../format.ts';
import { Card, DefinitionList, PageHeader } from '../../parts/display.tsx';
import { type Controls, Field, type FieldInfo, Fields, useControl } from '../../parts/form.tsx';
import { EditBar, useEditing } from '../../parts/save-bar.tsx';
import { Loaded, Together } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { LANGUAGE_OPTIONS, NAV } from '../../texts.ts';
import { likenessQuery, MemberLikeness } from '../likeness/card.tsx';
import { Photo } from '../members/photo.tsx';
import { PASSKEYS_QUERY, Passkeys, SIGN_INS_QUERY, SignIns } from './security.tsx';

const SETTINGS = {
  youLead: 'How recipients see you. To change your name or email, ask an owner or manager.',
  phoneHint: 'Outside the US and Canada, start with + and the country code. Recipients can call it from your video.',
  languageHint: 'For your texts and emails, and the recorder. The console is in English.',
  summaryHint: 'On Monday mornings: what was sent, watched, and answered, and who is still waiting.',
  pace: 'Words per minute',
  paceHint: (words: number, seconds: number) => `A script of ${words} words takes ${formatNumber(seconds)} seconds.`,
} as const;

type Preferences = Pick<HomeSettings, 'phone' | 'notify_by' | 'language' | 'words_per_minute' | 'weekly_summary'>;

const FIELDS: readonly FieldInfo<Preferences>[] = [
  {
    ...{ name: 'notify_by', label: 'Notify me', kind: 'radios' },
    options: [
      { value: 'text', label: 'By text message', hint: 'Without a number, we send an email.' },
      { value: 'email', label: 'By email' },
      { value: 'both', label: 'By both' },
    ],
  },
  { name: 'phone', label: 'Mobile number', hint: SETTINGS.phoneHint, kind: 'phone', optional: true },
  {
    ...{ name: 'language', label: 'Language', hint: SETTINGS.languageHint, kind: 'select', optional: true },
    options: LANGUAGE_OPTIONS,
  },
];
/** For owners. */
const SUMMARY: FieldInfo<Preferences> = {
  ...{ name: 'weekly_summary', label: 'Email me the weekly summary', hint: SETTINGS.summaryHint, kind: 'check' },
};
const PACE_FIELD: FieldInfo<Preferences> = { name: 'words_per_minute', label: SETTINGS.pace };

const OWN_SETTINGS = load(['members', 'self'], 'GET /home/settings');

const You = ({ id, settings }: { id: string; settings: HomeSettings }) => (
  <Card title="Your profile" lead={SETTINGS.youLead}>
    <Photo id={id} member={settings} />
    <DefinitionList
      items={[
        ['Name', formatName(settings)],
        ['Title', settings.title],
        ['Email', settings.email],
      ]}
    />
  </Card>
);

const Slider = ({ value, onChange }: { value: number; onChange: (value: number) => void }) => {
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
      aria-valuetext={`${formatNumber(value)} words per minute`}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  );
};

const CONTROLS: Controls<Preferences> = {
  words_per_minute({ value, error, onChange }) {
    const pace = value ?? PACE.usual;
    const seconds = Math.round(secondsToSay(SCRIPT_FIT_WORDS, pace));
    return (
      <Field label={SETTINGS.pace} hint={SETTINGS.paceHint(SCRIPT_FIT_WORDS, seconds)} error={error}>
        <div className="line gap-16">
          <Slider value={pace} onChange={onChange} />
          <output className="number bold">{pace}</output>
        </div>
      </Field>
    );
  },
};

/** The settings below the photo, which are saved together. */
function Preferences({ settings }: { settings: HomeSettings }) {
  const notifications = settings.weekly_summary === null ? FIELDS : [...FIELDS, SUMMARY];
  const edit = useEditing<Preferences, HomeSettings>({
    list: [...notifications, PACE_FIELD],
    ...{ saved: settings, done: 'Saved', topics: ['members'], queryKey: OWN_SETTINGS.queryKey },
    read: () => call('GET /home/settings'),
    send({ changes: { words_per_minute: pace, phone, weekly_summary: summary, ...changes } }) {
      return call('POST /home/settings', {
        body: {
          ...changes,
          ...(phone !== undefined && { phone: phone ?? '' }),
          ...(pace != null && { words_per_minute: pace }),
          ...(summary != null && { weekly_summary: summary }),
        },
      });
    },
  });
  const fields = { values: edit.fields, error: edit.error, onChange: edit.change };
  return (
    <form ref={edit.form} className="stack" noValidate onSubmit={edit.submit}>
      <Card title="Notifications" lead="When you have a video to record, and again before it is due.">
        <Fields list={notifications} {...fields} />
      </Card>
      <Card title="Speaking pace" lead="How fast the script scrolls while you record.">
        <Fields list={[PACE_FIELD]} {...fields} controls={CONTROLS} />
      </Card>
      <EditBar edit={edit} conflict="Someone else changed your settings" />
    </form>
  );
}

/** Personal settings of the signed-in member. */
export function AccountPage() {
  const { member } = useSession();
  const { id } = member;
  return (
    <>
      <PageHeader title={NAV.account} />
      <Together queries={[OWN_SETTINGS, likenessQuery(id), PASSKEYS_QUERY, SIGN_INS_QUERY]}>
        <Loaded query={OWN_SETTINGS}>
          {(settings) => (
            <>
              <You id={id} settings={settings} />
              <Preferences settings={settings} />
            </>
          )}
        </Loaded>
        <MemberLikeness member={{ id, name: formatName(member) }} />
        <Passkeys />
        <SignIns />
      </Together>
    </>
  );
}
