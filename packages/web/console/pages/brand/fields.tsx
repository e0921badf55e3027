import type { Brand, BrandDraft } from '@foreword/contract';
import {
  DAY_MINUTES,
  DEFAULT_REPLY_LABELS,
  LANGUAGES,
  NAME_MAX_LENGTH,
  REPLY_LABEL_MAX_LENGTH,
  REPLY_TYPES,
} from '@foreword/contract/plain';
import { fieldProblem } from '../../failure.ts';
import { formatTime, nowMs, zoneLabel, zoneOffset, zonesWith } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { countCharacters, Field } from '../../parts/field.tsx';
import { Input, PhoneInput } from '../../parts/input.tsx';
import { Notice } from '../../parts/notice.tsx';
import { type Option, Select } from '../../parts/select.tsx';
import { BRAND } from '../../texts/brand.ts';
import { LANGUAGE_NAMES } from '../../texts/common.ts';
import { emptyAsNull } from './draft.ts';
import { LogoField } from './logo.tsx';

const STEP_MIN = 30;
const DAY_MIN = 1_440;
/** Minutes of the day between which US law lets a company text a person. */
const LAWFUL = { from: 480, until: 1_260 } as const;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** 480 → "8:00 AM" */
export function formatMinutes(minutes: number): string {
  if (minutes === DAY_MIN) return BRAND.midnight;
  const clock = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  return formatTime(`1970-01-01T${clock}:00Z`, 'time', 'UTC');
}

/** Every half hour, plus the current value. */
function hourOptions(current: number): readonly Option<string>[] {
  const steps = Array.from({ length: DAY_MIN / STEP_MIN + 1 }, (_, index) => index * STEP_MIN);
  return [...new Set([...steps, current])]
    .sort((a, b) => a - b)
    .map((minutes) => ({ value: String(minutes), label: formatMinutes(minutes) }));
}

export interface FieldsProps {
  draft: BrandDraft;
  change: (part: Partial<BrandDraft>) => void;
  problem: unknown;
}

interface IdentityProps extends FieldsProps {
  base: Brand;
  onLogo: (brand: Brand) => void;
  onConflict: () => Promise<unknown>;
}

export const IdentityCard = ({ draft, change, problem, base, onLogo, onConflict }: IdentityProps) => (
  <Card title={BRAND.identity}>
    <Field
      label={BRAND.name}
      hint={BRAND.nameHint}
      error={fieldProblem(problem, 'name')}
      counter={{ used: countCharacters(draft.name), most: NAME_MAX_LENGTH }}
    >
      <Input value={draft.name} onChange={(name) => change({ name })} autoComplete="organization" />
    </Field>
    <LogoField base={base} onDone={onLogo} onConflict={onConflict} />
  </Card>
);

export const ContactCard = ({ draft, change, problem }: FieldsProps) => (
  <Card title={BRAND.contact}>
    <Field
      label={BRAND.officePhone}
      hint={BRAND.officePhoneHint}
      error={fieldProblem(problem, 'office_phone')}
      optional
    >
      <PhoneInput
        value={draft.office_phone ?? ''}
        onChange={(phone) => change({ office_phone: emptyAsNull(phone) })}
        autoComplete="tel"
      />
    </Field>
    <Field label={BRAND.license} hint={BRAND.licenseHint} error={fieldProblem(problem, 'license')} optional>
      <Input value={draft.license ?? ''} onChange={(license) => change({ license: emptyAsNull(license) })} />
    </Field>
    <Field label={BRAND.website} hint={BRAND.websiteHint} error={fieldProblem(problem, 'website')} optional>
      <Input
        type="url"
        inputMode="url"
        autoComplete="url"
        value={draft.website ?? ''}
        onChange={(website) => change({ website: emptyAsNull(website.trim()) })}
      />
    </Field>
  </Card>
);

export const RepliesCard = ({ draft, change, problem }: FieldsProps) => (
  <Card title={BRAND.replies} lead={BRAND.repliesLead}>
    {REPLY_TYPES.map((type) => {
      const field = `reply_${type}` as const;
      const label = draft[field] ?? '';
      return (
        <Field
          key={type}
          label={BRAND.replyLabels[type]}
          error={fieldProblem(problem, field)}
          counter={{ used: countCharacters(label), most: REPLY_LABEL_MAX_LENGTH }}
        >
          <Input
            value={label}
            placeholder={DEFAULT_REPLY_LABELS[draft.language][type]}
            onChange={(text) => change({ [field]: emptyAsNull(text) })}
          />
        </Field>
      );
    })}
  </Card>
);

export function TimesCard({ draft, change, problem }: FieldsProps) {
  const { timezone, texts_from: from, texts_until: until } = draft;
  const isOutside = from < LAWFUL.from || until > LAWFUL.until;
  const isAnyHour = from === 0 && until === DAY_MINUTES;
  return (
    <Card title={BRAND.times}>
      <Field label={BRAND.language} hint={BRAND.languageHint} error={fieldProblem(problem, 'language')}>
        <Select
          value={draft.language}
          options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
          onChange={(language) => change({ language })}
        />
      </Field>
      <Field label={BRAND.timezone} hint={BRAND.timezoneHint} error={fieldProblem(problem, 'timezone')}>
        <Combobox
          items={zonesWith(timezone)}
          value={timezone}
          onChange={(zone) => zone !== null && change({ timezone: zone })}
          keyOf={(zone) => zone}
          labelOf={zoneLabel}
          render={(zone) => (
            <span className="brand-zone">
              {zoneLabel(zone)} <span>{zoneOffset(zone, nowMs())}</span>
            </span>
          )}
          placeholder={BRAND.timezonePlaceholder}
          searchLabel={BRAND.timezoneSearch}
        />
      </Field>
      <div className="form-row">
        <Field label={BRAND.textsFrom} error={fieldProblem(problem, 'texts_from')}>
          <Select
            value={String(from)}
            options={hourOptions(from)}
            onChange={(minutes) => change({ texts_from: Number(minutes) })}
          />
        </Field>
        <Field label={BRAND.textsUntil} error={fieldProblem(problem, 'texts_until')}>
          <Select
            value={String(until)}
            options={hourOptions(until)}
            onChange={(minutes) => change({ texts_until: Number(minutes) })}
          />
        </Field>
      </div>
      <p className="field-hint">{BRAND.textsHint}</p>
      {isOutside && <Notice tone="warn">{isAnyHour ? BRAND.anyHour : BRAND.outsideLaw}</Notice>}
    </Card>
  );
}
