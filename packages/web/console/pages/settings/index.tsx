/** Folder: settings of the signed-in member, and of the organization. */

import type { HomeSettings } from '@foreword/contract';
import { PACE, secondsToSay } from '@foreword/contract/plain';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { call } from '../../api.ts';
import { formatName } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card, DefinitionList, PageHeader } from '../../parts/display.tsx';
import { Field, type FieldInfo, Fields, Switch, useControl } from '../../parts/form.tsx';
import { EditBar, useEditing } from '../../parts/save-bar.tsx';
import { Loaded, Together } from '../../parts/states.tsx';
import { load, useAction } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { LANGUAGE_OPTIONS, NAV } from '../../texts.ts';
import { likenessQuery, MemberLikeness } from '../likeness/card.tsx';
import { Photo } from '../members/photo.tsx';
import { PASSKEYS_QUERY, Passkeys, SIGN_INS_QUERY, SignIns } from './security.tsx';
import { SETTINGS } from './texts.ts';

type Preferences = Pick<HomeSettings, 'phone' | 'notify_by' | 'language' | 'words_per_minute'>;

const FIELDS: readonly FieldInfo<Preferences>[] = [
  {
    ...{ name: 'notify_by', label: SETTINGS.notifyBy, kind: 'radios' },
    options: [
      { value: 'text', label: SETTINGS.text, hint: SETTINGS.needsPhone },
      { value: 'email', label: SETTINGS.emailOnly },
      { value: 'both', label: SETTINGS.both },
    ],
  },
  { name: 'phone', label: SETTINGS.phone, hint: SETTINGS.phoneHint, kind: 'phone', optional: true },
  {
    ...{ name: 'language', label: SETTINGS.language, hint: SETTINGS.languageHint, kind: 'select', optional: true },
    options: LANGUAGE_OPTIONS,
  },
];
const PACE_FIELD: FieldInfo<Preferences> = { name: 'words_per_minute', label: SETTINGS.pace };

const OWN_SETTINGS = load(['members', 'self'], 'GET /home/settings');

const You = ({ id, settings }: { id: string; settings: HomeSettings }) => (
  <Card title={SETTINGS.youTitle} lead={SETTINGS.youLead}>
    <Photo id={id} member={settings} />
    <DefinitionList
      items={[
        [SETTINGS.name, formatName(settings)],
        [SETTINGS.role, settings.title],
        [SETTINGS.email, settings.email],
      ]}
    />
  </Card>
);

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
      aria-valuetext={SETTINGS.paceValue(value)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
    />
  );
};

function Pace({ pace, onChange }: { pace: number; onChange: (pace: number) => void }) {
  const [running, setRunning] = useState(false);
  const end = useCallback(() => setRunning(false), []);
  return (
    <Card title={SETTINGS.paceTitle} lead={SETTINGS.paceLead}>
      <Field label={SETTINGS.pace} hint={SETTINGS.sampleTakes(Math.round(secondsToSay(WORDS.length, pace)))}>
        <div className="line gap-16">
          <Slider value={pace} onChange={onChange} />
          <output className="number bold">{pace}</output>
        </div>
      </Field>
      <Sample pace={pace} running={running} onEnd={end} />
      <div className="form-actions">
        <Button
          kind="quiet"
          icon={running ? 'close' : 'play'}
          onClick={() => setRunning(!running)}
          label={running ? SETTINGS.stop : SETTINGS.try}
        />
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
    onDone: (saved) => queries.setQueryData(OWN_SETTINGS.queryKey, saved),
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
  const edit = useEditing<Preferences, HomeSettings>({
    list: [...FIELDS, PACE_FIELD],
    ...{ saved: settings, done: SETTINGS.saved, topics: ['members'], queryKey: OWN_SETTINGS.queryKey },
    read: () => call('GET /home/settings'),
    send({ changes: { words_per_minute: pace, phone, ...changes } }) {
      return call('POST /home/settings', {
        body: {
          ...changes,
          ...(phone !== undefined && { phone: phone ?? '' }),
          ...(pace != null && { words_per_minute: pace }),
        },
      });
    },
  });
  return (
    <form ref={edit.form} className="stack" noValidate onSubmit={edit.submit}>
      <Card title={SETTINGS.notificationsTitle} lead={SETTINGS.notificationsLead}>
        <Fields list={FIELDS} values={edit.fields} error={edit.error} onChange={edit.change} />
      </Card>
      <Pace
        pace={edit.fields.words_per_minute ?? PACE.usual}
        onChange={(words_per_minute) => edit.change({ words_per_minute })}
      />
      <EditBar edit={edit} conflict={SETTINGS.conflict} />
    </form>
  );
}

/** Personal settings of the signed-in member. */
export function AccountPage() {
  const { member } = useSession();
  const { id } = member;
  const own = useQuery(OWN_SETTINGS);
  return (
    <>
      <PageHeader title={NAV.account} />
      <Together queries={[OWN_SETTINGS, likenessQuery(id), PASSKEYS_QUERY, SIGN_INS_QUERY]}>
        <Loaded query={own}>
          {(settings) => (
            <>
              <You id={id} settings={settings} />
              <Preferences settings={settings} />
              {settings.weekly_summary !== null && <WeeklySummary isOn={settings.weekly_summary} />}
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
