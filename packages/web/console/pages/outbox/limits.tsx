/** Text limits, pauses and the registration of the sender. */

import type { ConsoleTextLimits, ConsoleTextRegistration } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { formatName } from '../../format.ts';
import { AnchorButton, Button, IconButton } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Badge, Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import { Switch } from '../../parts/form.tsx';
import { Loaded, SkeletonRows } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useMay } from '../../session.ts';
import { ImportOptOuts } from '../consent/index.tsx';
import { PausedTexts } from './paused.tsx';
import { registrationQuery, textLimitsQuery, useChangeLimits } from './queries.ts';
import { countryName, TEXT_LIMITS } from './texts.ts';

function State({ registration, is_own: isOwn }: ConsoleTextRegistration) {
  if (registration === null) return <p>{TEXT_LIMITS.noRegistration}</p>;
  const { status, message, next } = registration;
  const { name, tone } = TEXT_LIMITS.registrationStates[status];
  return (
    <>
      <p>
        <Badge tone={tone}>{name}</Badge> {message}
      </p>
      {next !== null && (
        <p>
          {next} {!isOwn && TEXT_LIMITS.sharedAccount}
        </p>
      )}
      {(status === 'missing' || status === 'rejected') && (
        <div className="form-actions">
          <AnchorButton
            href="/docs/self-hosting/registration"
            target="_blank"
            rel="noreferrer"
            kind="quiet"
            icon="outside"
          >
            {TEXT_LIMITS.registrationGuide}
          </AnchorButton>
        </div>
      )}
    </>
  );
}

/** Whether mobile networks know the number that sends the texts, and what to do if they do not. */
function RegistrationCard() {
  const query = useQuery(registrationQuery);
  return (
    <Card title={TEXT_LIMITS.registration} lead={TEXT_LIMITS.registrationLead}>
      <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
        {(loaded) => <State {...loaded} />}
      </Loaded>
    </Card>
  );
}

interface CardProps {
  limits: ConsoleTextLimits;
  mayChange: boolean;
}

function TodayCard({ limits: { limits, texts_today: used, busiest_members, day_ends_at, timezone } }: CardProps) {
  const busiest = busiest_members.map((member) => (
    <span key={member.id} className="limits-member">
      {TEXT_LIMITS.busiestMember(formatName(member), member.texts)}
    </span>
  ));
  return (
    <Card title={TEXT_LIMITS.todayTitle} lead={TEXT_LIMITS.todayLead}>
      <p className="limits-used">{TEXT_LIMITS.used(used, limits.organization)}</p>
      <meter
        className="limits-meter"
        aria-label={TEXT_LIMITS.meter}
        min={0}
        max={Math.max(1, limits.organization)}
        value={used}
      />
      <DefinitionList
        items={[
          [TEXT_LIMITS.dayEnds, <Time key="end" at={day_ends_at} style="timeZone" zone={timezone} />],
          [TEXT_LIMITS.busiest, busiest.length === 0 ? null : busiest],
          [TEXT_LIMITS.organization, TEXT_LIMITS.texts(limits.organization)],
          [TEXT_LIMITS.member, TEXT_LIMITS.texts(limits.member)],
          [TEXT_LIMITS.recipient, TEXT_LIMITS.texts(limits.recipient)],
        ]}
      />
      <p className="hint">{TEXT_LIMITS.limitsHint}</p>
    </Card>
  );
}

const byName = (one: string, other: string): number => countryName(one).localeCompare(countryName(other));

function CountriesCard({ limits, mayChange }: CardProps) {
  const { countries, default_countries: defaults, known_countries: known, has_own_countries: hasOwn } = limits;
  const change = useChangeLimits();
  const save = (next: readonly string[] | null, done: string) =>
    change.isPending || change.mutate({ body: { countries: next === null ? null : [...next] }, done });
  const add = (country: string | null) =>
    country !== null && save([...countries, country], TEXT_LIMITS.added(countryName(country)));
  return (
    <Card title={TEXT_LIMITS.countriesTitle} lead={TEXT_LIMITS.countriesLead}>
      {countries.length === 0 ? (
        <Notice tone="warn">{TEXT_LIMITS.noCountries}</Notice>
      ) : (
        <ul className="wrap gap-8 limits-countries" aria-label={TEXT_LIMITS.countriesList}>
          {[...countries].sort(byName).map((country) => (
            <li key={country}>
              {countryName(country)}
              {mayChange && (
                <IconButton
                  icon="close"
                  label={TEXT_LIMITS.remove(countryName(country))}
                  onClick={() =>
                    save(
                      countries.filter((one) => one !== country),
                      TEXT_LIMITS.removed(countryName(country)),
                    )
                  }
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange ? (
        <>
          <Combobox
            items={known.filter((country) => !countries.includes(country)).sort(byName)}
            value={null}
            onChange={add}
            keyOf={(country) => country}
            labelOf={countryName}
            placeholder={TEXT_LIMITS.add}
            aria-label={TEXT_LIMITS.add}
            searchLabel={TEXT_LIMITS.addSearch}
            busy={change.isPending}
          />
          {hasOwn && (
            <div className="form-actions">
              <Button kind="quiet" small busy={change.isPending} onClick={() => save(null, TEXT_LIMITS.isReset)}>
                {TEXT_LIMITS.reset(defaults.map(countryName))}
              </Button>
            </div>
          )}
        </>
      ) : (
        <p className="hint">{TEXT_LIMITS.ownersOnly}</p>
      )}
    </Card>
  );
}

interface Setting {
  field: 'forwards_replies' | 'texts_test_recordings';
  title: string;
  lead: string;
  label: string;
  hint: string;
  /** By state: after a change, and for those who may not change it. */
  done: Record<'on' | 'off', string>;
  state: Record<'on' | 'off', string>;
}

const REPLIES: Setting = {
  field: 'forwards_replies',
  title: TEXT_LIMITS.repliesTitle,
  lead: TEXT_LIMITS.repliesLead,
  label: TEXT_LIMITS.replies,
  hint: TEXT_LIMITS.repliesHint,
  done: { on: TEXT_LIMITS.repliesOn, off: TEXT_LIMITS.repliesOff },
  state: { on: TEXT_LIMITS.repliesAreOn, off: TEXT_LIMITS.repliesAreOff },
};

const TEST_RECORDINGS: Setting = {
  field: 'texts_test_recordings',
  title: TEXT_LIMITS.testTitle,
  lead: TEXT_LIMITS.testLead,
  label: TEXT_LIMITS.test,
  hint: TEXT_LIMITS.testHint,
  done: { on: TEXT_LIMITS.testOn, off: TEXT_LIMITS.testOff },
  state: { on: TEXT_LIMITS.isOn, off: TEXT_LIMITS.isOff },
};

function SettingCard({ setting, limits, mayChange }: CardProps & { setting: Setting }) {
  const { field, title, lead, label, hint, done, state } = setting;
  const isOn = limits[field] === true;
  const change = useChangeLimits();
  const toggle = (checked: boolean) =>
    change.mutate({ body: { [field]: checked }, done: checked ? done.on : done.off });
  return (
    <Card title={title} lead={lead}>
      {mayChange ? (
        <Switch
          label={label}
          hint={hint}
          checked={change.isPending ? (change.variables.body[field] ?? isOn) : isOn}
          onChange={toggle}
          disabled={change.isPending}
        />
      ) : (
        <>
          <p>{isOn ? state.on : state.off}</p>
          <p className="hint">{TEXT_LIMITS.ownersOnly}</p>
        </>
      )}
    </Card>
  );
}

export function TextLimitsPage() {
  const query = useQuery(textLimitsQuery);
  const mayChange = useMay('owner');
  const mayImport = useMay('manager');
  return (
    <>
      <PageHeader title={TEXT_LIMITS.title} lead={TEXT_LIMITS.lead} />
      <PausedTexts />
      <Loaded query={query}>
        {(limits) => (
          <div className="limits">
            <TodayCard limits={limits} mayChange={mayChange} />
            <RegistrationCard />
            <CountriesCard limits={limits} mayChange={mayChange} />
            {mayImport && <ImportOptOuts />}
            <SettingCard setting={REPLIES} limits={limits} mayChange={mayChange} />
            <SettingCard setting={TEST_RECORDINGS} limits={limits} mayChange={mayChange} />
          </div>
        )}
      </Loaded>
    </>
  );
}
