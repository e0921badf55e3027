import type { Brand, BrandDraft } from '@foreword/contract';
import {
  BRAND_FIELDS,
  DEFAULT_REPLY_LABELS,
  LANGUAGES,
  type Language,
  NAME_MAX_LENGTH,
  REPLY_LABEL_MAX_LENGTH,
  REPLY_TYPES,
} from '@foreword/contract/plain';
import { call } from '../../api.ts';
import { nowMs, zoneLabel, zoneName, zonesWith } from '../../format.ts';
import { AskButton } from '../../parts/actions.tsx';
import { Button } from '../../parts/button.tsx';
import { PictureField } from '../../parts/file-picker.tsx';
import { type Bound, type Controls, Field, type FieldInfo, Input } from '../../parts/form.tsx';
import { Combobox, showToast } from '../../parts/overlays.tsx';
import type { Edits } from '../../parts/save-bar.tsx';
import { load, useAction } from '../../queries.ts';
import { FAILURE, LANGUAGE_NAMES } from '../../texts.ts';
import { BRAND } from './texts.ts';

type BrandField = FieldInfo<BrandDraft>;

/** The fields of each card. */
export const CARDS = {
  identity: [
    {
      ...{ name: 'name', label: 'Name', hint: BRAND.nameHint, missing: 'Enter a name.' },
      ...{ most: NAME_MAX_LENGTH, isCounted: true, input: { autoComplete: 'organization' } },
    },
  ],
  color: [{ name: 'accent', label: BRAND.accent, hint: BRAND.accentHint }],
  contact: [
    {
      ...{ name: 'office_phone', label: 'Office phone', hint: BRAND.officePhoneHint },
      ...{ kind: 'phone', optional: true, input: { autoComplete: 'tel' } },
    },
    {
      name: 'license',
      label: 'License number',
      hint: 'Shown in small print on the page, if the law requires it.',
      optional: true,
    },
    {
      ...{ name: 'website', label: 'Website', hint: 'Shown as a link on the page. Starts with https://' },
      ...{ kind: 'url', optional: true, input: { autoComplete: 'url' } },
    },
  ],
  times: [
    {
      ...{ name: 'language', label: 'Language', hint: BRAND.languageHint, kind: 'select' },
      options: LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })),
    },
    { name: 'timezone', label: BRAND.timezone, hint: BRAND.timezoneHint },
  ],
} as const satisfies Record<string, readonly BrandField[]>;

/** Their placeholders are the labels that an organization gets without its own. */
export const replyFields = (language: Language): readonly BrandField[] =>
  REPLY_TYPES.map((type) => ({
    ...{ name: `reply_${type}`, label: BRAND.replyLabels[type], optional: true, isMore: true },
    ...{ most: REPLY_LABEL_MAX_LENGTH, isCounted: true, input: { placeholder: DEFAULT_REPLY_LABELS[language][type] } },
  }));

export const BRAND_LIST: readonly BrandField[] = [...Object.values(CARDS).flat(), ...replyFields('en')];

export const draftOf = (brand: Brand): BrandDraft =>
  Object.fromEntries(BRAND_FIELDS.map((field) => [field, brand[field]])) as unknown as BrandDraft;

export const BRAND_QUERY = load(['organization', 'brand'], 'GET /brand');

/** Reads the brand, and saves some of its fields. The others stay unchanged. */
export const BRAND_EDITING = {
  queryKey: BRAND_QUERY.queryKey,
  topics: ['organization'],
  read: () => call('GET /brand'),
  send: ({ changes }: Pick<Edits<BrandDraft>, 'changes'>, base: Brand) =>
    call('POST /brand', { body: { version: base.version, ...draftOf(base), ...changes } }),
} as const;

/** Saved as soon as it is chosen. */
export function Logo({ brand: { version, logo_url }, onDone }: { brand: Brand; onDone: (brand: Brand) => void }) {
  const save = useAction({
    run: (file: string) => call('POST /brand/logo', { body: { version, file } }),
    topics: ['organization'],
    showsFailure: true,
    done: 'Logo saved',
    onDone,
  });
  return (
    <PictureField
      label="Logo"
      hint={BRAND.logoHint}
      accept="image/png,image/jpeg,image/svg+xml"
      field="file"
      isSet={logo_url !== null}
      picture={
        logo_url === null ? (
          <p className="soft">No logo. Pages show your name instead.</p>
        ) : (
          <img
            className="brand-logo"
            src={logo_url}
            alt="Your logo"
            onError={() => showToast({ kind: 'bad', text: FAILURE.title })}
          />
        )
      }
      send={save.mutateAsync}
      remove={
        <AskButton
          button={{ kind: 'plain', label: 'Remove' }}
          title="Remove the logo?"
          action="Remove logo"
          danger
          run={() => call('POST /brand/logo/remove', { body: { version } })}
          topics={['organization']}
          done="Logo removed"
          onDone={onDone}
        >
          {BRAND.removeLogoBody}
        </AskButton>
      }
    />
  );
}

/** The default accent color, which the picker shows while none is chosen. */
const DEFAULT_COLOR = '#2c6652';

const isColor = (text: string | null): text is string => text !== null && /^#[0-9a-f]{6}$/i.test(text);

/** Accepts a color without the leading #. In lower case, as it is stored. */
function parseColor(text: string): string | null {
  const color = text.trim().toLowerCase();
  if (color === '') return null;
  return /^[0-9a-f]{6}$/.test(color) ? `#${color}` : color;
}

const Accent = ({ value: accent, error, onChange }: Bound<string | null>) => (
  <Field label={BRAND.accent} hint={BRAND.accentHint} error={error} optional>
    <div className="form-actions middle brand-color">
      <input
        type="color"
        className="input"
        aria-label="Pick a color"
        value={isColor(accent) ? accent : DEFAULT_COLOR}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Input
        value={accent ?? ''}
        onChange={(text) => onChange(parseColor(text))}
        placeholder={DEFAULT_COLOR}
        spellCheck={false}
        maxLength={9}
      />
      {accent !== null && <Button kind="plain" onClick={() => onChange(null)} label="Use default green" />}
    </div>
  </Field>
);

const TimeZone = ({ value: timezone, error, onChange }: Bound<string>) => (
  <Field label={BRAND.timezone} hint={BRAND.timezoneHint} error={error}>
    <Combobox
      items={zonesWith(timezone)}
      value={timezone}
      onChange={(zone) => zone !== null && onChange(zone)}
      labelOf={zoneLabel}
      render={(zone) => (
        <span className="line between">
          {zoneLabel(zone)} <span className="soft nowrap">{zoneName(zone, nowMs(), 'shortOffset')}</span>
        </span>
      )}
      placeholder="Choose a time zone"
      searchLabel="Search for a city"
    />
  </Field>
);

export const CONTROLS: Controls<BrandDraft> = {
  accent: (bound) => <Accent {...bound} />,
  timezone: (bound) => <TimeZone {...bound} />,
};
