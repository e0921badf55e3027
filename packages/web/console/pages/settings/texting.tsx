/** The organization's texting: hours, limits, countries, replies, links and the registration of the sender. */

import type { Brand, BrandDraft, ConsoleBody, ConsoleTextLimits, ConsoleTextRegistration } from '@foreword/contract';
import { DAY_MINUTES } from '@foreword/contract/plain';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { formatCount, formatList, formatName, formatNumber, formatTimeOfDay } from '../../format.ts';
import { AnchorButton, Button, IconButton } from '../../parts/button.tsx';
import { Badge, Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import {
  type Bound,
  type Controls,
  type FieldInfo,
  Fields,
  type Option,
  SelectField,
  Switch,
} from '../../parts/form.tsx';
import { Combobox } from '../../parts/overlays.tsx';
import { EditBar, useEditing } from '../../parts/save-bar.tsx';
import { Loaded, SkeletonRows, Together } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { load, useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { NAV } from '../../texts.ts';
import { BRAND_EDITING, BRAND_QUERY } from '../brand/fields.tsx';
import { ImportOptOuts } from '../consent/index.tsx';
import { PausedTexts, textLimitsQuery } from '../outbox/paused.tsx';

const REGIONS = new Intl.DisplayNames('en-US', { type: 'region' });

const countryName = (country: string): string => REGIONS.of(country) ?? country;

const TEXTING = {
  registrationLead: 'US mobile networks deliver the texts of a business only from a registered number.',
  registrationStates: {
    registered: { name: 'Registered', tone: 'good' },
    pending: { name: 'In review', tone: 'warn' },
    missing: { name: 'Not registered', tone: 'bad' },
    rejected: { name: 'Action needed', tone: 'bad' },
    unknown: { name: 'Unknown', tone: 'warn' },
  },
  noRegistration: 'Nothing to do: your number needs no registration, or its carrier doesn’t report one.',

  todayLead: 'Texts to members and recipients that were passed to the carrier.',
  used: (used: number, limit: number) => `${formatNumber(used)} of ${formatCount(limit, 'text')}`,
  texts: (amount: number) => formatCount(amount, 'text'),
  limitsHint:
    'Limits keep a leaked API key from spending your money. At a limit, further texts wait for the next day. Your administrator can change the limits.',

  countriesLead:
    'Recipients and members with numbers in other countries get no texts. Satellite and premium numbers never get any.',
  add: 'Add a country',

  repliesLead: 'Replies of recipients, on the page or to the text, always reach the member.',
  repliesHint:
    'Off: the member’s text has the recipient’s number. On: the member answers by replying to that text, and the recipient gets the answer from your number for texts. Both sides see only that number.',
  repliesAreOn: 'Members answer replies by text, without seeing the recipient’s number.',

  ownersOnly: 'Only owners can change this.',

  textsFrom: 'Send texts from',
  textsUntil: 'Send texts until',
  textsHint:
    'In the recipient’s local time. Texts due outside these hours are sent when the hours begin. For US numbers, the hours of their state’s law apply as well.',
  outsideLaw: 'US numbers are still texted only from 8 AM to 9 PM, or within the stricter hours of their state.',
  anyHour: 'Texts are sent at any hour, day or night. In the US, that can be illegal.',
} as const;

/** Asks the carrier, so it is not refreshed while the page is open. */
const REGISTRATION_QUERY = load(['text-registration'], 'GET /text-limits/registration');

interface LimitsChange {
  readonly body: ConsoleBody<'POST /text-limits'>;
  readonly done: string;
}

function useChangeLimits() {
  const queries = useQueryClient();
  return useAction({
    run: ({ body }: LimitsChange) => call('POST /text-limits', { body }),
    done: (_limits, { done }) => done,
    onDone: (limits) => queries.setQueryData(textLimitsQuery.queryKey, limits),
  });
}

function State({ registration, is_own: isOwn }: ConsoleTextRegistration) {
  if (registration === null) return <p>{TEXTING.noRegistration}</p>;
  const { status, message, next } = registration;
  const { name, tone } = TEXTING.registrationStates[status];
  return (
    <>
      <p>
        <Badge tone={tone}>{name}</Badge> {message}
      </p>
      {next !== null && (
        <p>
          {next} {!isOwn && 'Your administrator can fix this account.'}
        </p>
      )}
      {(status === 'missing' || status === 'rejected') && (
        <AnchorButton
          href="/docs/self-hosting/registration"
          target="_blank"
          rel="noreferrer"
          kind="quiet"
          icon="outside"
          label="How to register"
        />
      )}
    </>
  );
}

/** Whether mobile networks know the number that sends the texts, and what to do if they do not. */
const RegistrationCard = () => (
  <Card title="Registration" lead={TEXTING.registrationLead}>
    <Loaded query={REGISTRATION_QUERY} skeleton={<SkeletonRows rows={2} />}>
      {(loaded) => <State {...loaded} />}
    </Loaded>
  </Card>
);

interface CardProps {
  limits: ConsoleTextLimits;
  mayChange: boolean;
}

function TodayCard({ limits: { limits, texts_today: used, busiest_members, day_ends_at } }: CardProps) {
  const busiest = busiest_members.map((member) => (
    <div key={member.id}>{`${formatName(member)}: ${formatNumber(member.texts)}`}</div>
  ));
  return (
    <Card title="Today" lead={TEXTING.todayLead}>
      <p className="bold">{TEXTING.used(used, limits.organization)}</p>
      <meter
        className="limits-meter"
        aria-label="Texts used today"
        min={0}
        max={Math.max(1, limits.organization)}
        value={used}
      />
      <DefinitionList
        items={[
          ['The day ends', <Time key="end" at={day_ends_at} style="timeZone" />],
          ['Most texts', busiest.length === 0 ? null : busiest],
          ['Organization, per day', TEXTING.texts(limits.organization)],
          ['About the intros of one member, per day', TEXTING.texts(limits.member)],
          ['To one recipient, per day', TEXTING.texts(limits.recipient)],
        ]}
      />
      <p className="hint">{TEXTING.limitsHint}</p>
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
    country !== null && save([...countries, country], `Texts to ${countryName(country)} are on`);
  return (
    <Card title="Countries" lead={TEXTING.countriesLead}>
      {countries.length === 0 ? (
        <Notice tone="warn">No country is allowed, so no texts are sent.</Notice>
      ) : (
        <ul className="wrap gap-8" aria-label="Countries that get texts">
          {[...countries].sort(byName).map((country) => (
            <li key={country} className="badge">
              {countryName(country)}
              {mayChange && (
                <IconButton
                  icon="close"
                  label={`Remove ${countryName(country)}`}
                  onClick={() =>
                    save(
                      countries.filter((one) => one !== country),
                      `Texts to ${countryName(country)} are off`,
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
            labelOf={countryName}
            placeholder={TEXTING.add}
            aria-label={TEXTING.add}
            searchLabel="Search countries"
            busy={change.isPending}
          />
          {hasOwn && (
            <Button
              kind="quiet"
              small
              busy={change.isPending}
              onClick={() => save(null, 'Countries reset')}
              label={`Reset to ${formatList(defaults.map(countryName))}`}
            />
          )}
        </>
      ) : (
        <p className="hint">{TEXTING.ownersOnly}</p>
      )}
    </Card>
  );
}

/** Whether members answer replies through the service. */
function RepliesCard({ limits: { forwards_replies: isOn }, mayChange }: CardProps) {
  const change = useChangeLimits();
  const toggle = (checked: boolean) =>
    change.mutate({
      body: { forwards_replies: checked },
      done: checked ? 'Members answer replies by text' : 'Members get the recipient’s number',
    });
  return (
    <Card title="Answers to replies" lead={TEXTING.repliesLead}>
      {mayChange ? (
        <Switch
          label="Members answer by text, without seeing the number"
          hint={TEXTING.repliesHint}
          checked={change.isPending ? (change.variables.body.forwards_replies ?? isOn) : isOn}
          onChange={toggle}
          disabled={change.isPending}
        />
      ) : (
        <>
          <p>{isOn ? TEXTING.repliesAreOn : 'Members get the recipient’s number with each reply.'}</p>
          <p className="hint">{TEXTING.ownersOnly}</p>
        </>
      )}
    </Card>
  );
}

const STEP_MIN = 30;
/** Minutes of the day between which US law lets a company text a person. */
const LAWFUL = { from: 480, until: 1_260 } as const;

const formatMinutes = (minutes: number): string => (minutes === DAY_MINUTES ? 'Midnight' : formatTimeOfDay(minutes));

/** Every half hour, plus the current value. */
function hourOptions(current: number): readonly Option<string>[] {
  const steps = Array.from({ length: DAY_MINUTES / STEP_MIN + 1 }, (_, index) => index * STEP_MIN);
  return [...new Set([...steps, current])]
    .sort((a, b) => a - b)
    .map((minutes) => ({ value: String(minutes), label: formatMinutes(minutes) }));
}

const Hour = ({ label, value, error, onChange }: Bound<number> & { label: string }) => (
  <SelectField
    label={label}
    error={error}
    value={String(value)}
    options={hourOptions(value)}
    onChange={(minutes) => onChange(Number(minutes))}
  />
);

type Hours = Pick<BrandDraft, 'texts_from' | 'texts_until'>;

const HOURS: readonly FieldInfo<Hours>[] = [
  { name: 'texts_from', label: TEXTING.textsFrom, isHalf: true, show: formatMinutes },
  { name: 'texts_until', label: TEXTING.textsUntil, isHalf: true, show: formatMinutes },
];

const CONTROLS: Controls<Hours> = {
  texts_from: (bound) => <Hour {...bound} label={TEXTING.textsFrom} />,
  texts_until: (bound) => <Hour {...bound} label={TEXTING.textsUntil} />,
};

/** Stored with the brand, whose other fields stay. */
function HoursForm({ brand }: { brand: Brand }) {
  const edit = useEditing<Hours, Brand>({ ...BRAND_EDITING, list: HOURS, saved: brand, done: 'Texting hours saved' });
  const { form, fields, error, change, submit } = edit;
  const { texts_from: from, texts_until: until } = fields;
  const isOutside = from < LAWFUL.from || until > LAWFUL.until;
  const isAnyHour = from === 0 && until === DAY_MINUTES;
  return (
    <form ref={form} className="stack" onSubmit={submit} noValidate>
      <Fields list={HOURS} values={fields} error={error} onChange={change} controls={CONTROLS} />
      <p className="hint">{TEXTING.textsHint}</p>
      {isOutside && <Notice tone="warn">{isAnyHour ? TEXTING.anyHour : TEXTING.outsideLaw}</Notice>}
      <EditBar edit={edit} conflict="Someone else changed the texting hours" />
    </form>
  );
}

export function TextingPage() {
  const mayChange = useMay('owner');
  return (
    <>
      <PageHeader title={NAV.texting} lead="When texts are sent, how many, and to which countries." />
      <Together queries={[textLimitsQuery, BRAND_QUERY]}>
        <PausedTexts />
        <Card title="Texting hours">
          <Loaded query={BRAND_QUERY}>{(brand) => <HoursForm brand={brand} />}</Loaded>
        </Card>
        <Loaded query={textLimitsQuery}>
          {(limits) => (
            <>
              <TodayCard limits={limits} mayChange={mayChange} />
              <CountriesCard limits={limits} mayChange={mayChange} />
              <RepliesCard limits={limits} mayChange={mayChange} />
            </>
          )}
        </Loaded>
        <ImportOptOuts />
        {/* Last, because the carrier may take seconds to respond. */}
        <RegistrationCard />
      </Together>
    </>
  );
}
