import type { Brand, BrandDraft, BrandPreview, BrandShades } from '@foreword/contract';
import {
  BRAND_FIELDS,
  DAY_MINUTES,
  DEFAULT_REPLY_LABELS,
  LANGUAGES,
  NAME_MAX_LENGTH,
  PICTURE_MAX_BYTES,
  REPLY_LABEL_MAX_LENGTH,
  REPLY_TYPES,
} from '@foreword/contract/plain';
import { useRef, useState } from 'react';
import { ApiFailure, call, fieldProblem } from '../../api.ts';
import { formatTime, nowMs, zoneLabel, zoneOffset, zonesWith } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Card, Notice } from '../../parts/display.tsx';
import { readBase64 } from '../../parts/file-picker.tsx';
import {
  bindFields,
  countCharacters,
  Field,
  Input,
  type Option,
  PhoneNumberField,
  SelectField,
  TextField,
} from '../../parts/form.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { FAILURE, LANGUAGE_NAMES } from '../../texts.ts';
import { BRAND } from './texts.ts';

export const fieldsOf = ({ version: _version, logo_url: _logo, ...fields }: Brand): BrandDraft => fields;

/** Whether the brand already has these values, in the form the server stores them: trimmed, colors in lower case. */
export function isSavedIn(changes: Partial<BrandDraft>, brand: Brand): boolean {
  const replies = REPLY_TYPES.map((type) => `reply_${type}` as const)
    .filter((field) => changes[field] !== undefined)
    .map((field) => [field, emptyAsNull(changes[field]?.trim() ?? '')]);
  const stored: Partial<BrandDraft> = {
    ...changes,
    ...Object.fromEntries(replies),
    ...(changes.name !== undefined && { name: changes.name.trim() }),
    ...(changes.accent !== undefined && { accent: changes.accent?.toLowerCase() ?? null }),
    ...(changes.license !== undefined && { license: emptyAsNull(changes.license?.trim() ?? '') }),
  };
  return BRAND_FIELDS.every((field) => stored[field] === undefined || stored[field] === brand[field]);
}

/** The fields of `other` that differ from `one`. */
export const listDifferences = (one: Brand, other: Brand): readonly (keyof BrandDraft | 'logo_url')[] =>
  ([...BRAND_FIELDS, 'logo_url'] as const).filter((field) => one[field] !== other[field]);

export const isConflict = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'edit_conflict';

const emptyAsNull = (text: string): string | null => (text === '' ? null : text);

const TYPES = 'image/png,image/jpeg,image/svg+xml';

interface LogoFieldProps {
  base: Brand;
  onDone: (brand: Brand) => void;
  /** Loads the latest version, so that the user can choose the logo again. */
  onConflict: () => Promise<unknown>;
}

function useLogo({ base: { version }, onDone, onConflict }: LogoFieldProps) {
  const [problem, setProblem] = useState<string>();
  const fail = async (error: unknown): Promise<void> => {
    setProblem(fieldProblem(error, 'file') ?? (error instanceof Error ? error.message : FAILURE.unknown));
    if (!isConflict(error)) return;
    setProblem(BRAND.logoConflict);
    await onConflict().catch(fail);
  };
  const send = useAction({
    run: (file: string) => call('POST /brand/logo', { body: { version, file } }),
    done: BRAND.logoSaved,
    topics: ['organization'],
    showsFailure: true,
    onDone,
  });
  async function choose(file: File): Promise<void> {
    setProblem(file.size > PICTURE_MAX_BYTES ? BRAND.logoTooLarge : undefined);
    if (file.size > PICTURE_MAX_BYTES) return;
    const unreadable = () => Promise.reject(new Error(BRAND.logoUnreadable));
    await readBase64(file).catch(unreadable).then(send.mutateAsync).catch(fail);
  }
  return { choose, problem, isSending: send.isPending, fail };
}

function RemoveLogo({ base: { version }, onDone, fail }: LogoFieldProps & { fail: (error: unknown) => Promise<void> }) {
  const [isConfirming, setConfirming] = useState(false);
  const remove = useAction({
    run: () => call('POST /brand/logo/remove', { body: { version } }),
    done: BRAND.logoRemoved,
    topics: ['organization'],
    showsFailure: true,
    onDone,
  });
  const confirm = () =>
    void remove
      .mutateAsync()
      .catch(fail)
      .finally(() => setConfirming(false));
  return (
    <>
      <Button kind="plain" onClick={() => setConfirming(true)}>
        {BRAND.removeLogo}
      </Button>
      <Confirm
        open={isConfirming}
        onOpenChange={setConfirming}
        title={BRAND.removeLogoTitle}
        action={BRAND.removeLogoAction}
        danger
        run={{ isPending: remove.isPending, error: null, mutate: confirm }}
      >
        {BRAND.removeLogoBody}
      </Confirm>
    </>
  );
}

function LogoField(props: LogoFieldProps) {
  const { logo_url } = props.base;
  const { choose, problem, isSending, fail } = useLogo(props);
  const input = useRef<HTMLInputElement>(null);
  return (
    <Field label={BRAND.logo} hint={BRAND.logoHint} error={problem} group optional>
      <div className="wrap middle brand-logo">
        {logo_url === null ? (
          <p className="soft">{BRAND.noLogo}</p>
        ) : (
          <img src={logo_url} alt={BRAND.logoAlt} onError={() => showToast({ kind: 'bad', text: FAILURE.title })} />
        )}
        <div className="form-actions">
          <Button kind="quiet" icon="upload" busy={isSending} onClick={() => input.current?.click()}>
            {logo_url === null ? BRAND.chooseLogo : BRAND.replaceLogo}
          </Button>
          {logo_url !== null && <RemoveLogo {...props} fail={fail} />}
        </div>
      </div>
      <input
        ref={input}
        type="file"
        accept={TYPES}
        hidden
        aria-label={BRAND.chooseLogo}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // Lets the user choose the same file again.
          currentTarget.value = '';
          if (file !== undefined) void choose(file);
        }}
      />
    </Field>
  );
}

/** The default accent color, which the picker shows while none is chosen. */
const DEFAULT_COLOR = '#2c6652';

const isColor = (text: string | null): text is string => text !== null && /^#[0-9a-f]{6}$/i.test(text);

/** Accepts a color without the leading #. */
const parseColor = (text: string): string | null =>
  emptyAsNull(/^[0-9a-f]{6}$/i.test(text.trim()) ? `#${text.trim()}` : text.trim());

function Swatch({ shades, title, scheme }: { shades: BrandShades; title: string; scheme: 'light' | 'dark' }) {
  const { accent, edge, on_accent, accent_text, button_differs, text_differs, contrast } = shades;
  return (
    <div className="grid gap-8 brand-swatch">
      <h3>{title}</h3>
      <div className={`brand-ground brand-ground-${scheme}`} aria-hidden="true">
        <span className="brand-sample" style={{ background: accent, borderColor: edge, color: on_accent }}>
          {BRAND.sampleButton}
        </span>
        <span className="brand-sample-link" style={{ color: accent_text }}>
          {BRAND.sampleLink}
        </span>
      </div>
      <ul className="hint">
        {!button_differs && !text_differs && <li>{BRAND.asChosen}</li>}
        {button_differs && <li>{BRAND.buttonDiffers(accent)}</li>}
        {text_differs && <li>{BRAND.textDiffers(accent_text)}</li>}
        <li>{BRAND.contrast(contrast)}</li>
      </ul>
    </div>
  );
}

export function ColorCard({ draft, change, problem, preview }: FieldsProps & { preview: BrandPreview | undefined }) {
  const { accent } = draft;
  return (
    <Card title={BRAND.color} lead={BRAND.colorLead}>
      <Field label={BRAND.accent} hint={BRAND.accentHint} error={fieldProblem(problem, 'accent')} optional>
        <div className="form-actions middle brand-color">
          <input
            type="color"
            className="brand-picker"
            aria-label={BRAND.pickColor}
            value={isColor(accent) ? accent.toLowerCase() : DEFAULT_COLOR}
            onChange={(event) => change({ accent: event.currentTarget.value })}
          />
          <Input
            value={accent ?? ''}
            onChange={(text) => change({ accent: parseColor(text) })}
            placeholder={DEFAULT_COLOR}
            spellCheck={false}
            maxLength={9}
          />
          {accent !== null && (
            <Button kind="plain" onClick={() => change({ accent: null })}>
              {BRAND.defaultColor}
            </Button>
          )}
        </div>
      </Field>
      {preview !== undefined && (
        <div className="grid gap-20 brand-swatches" aria-live="polite">
          <Swatch shades={preview.light} title={BRAND.onLight} scheme="light" />
          <Swatch shades={preview.dark} title={BRAND.onDark} scheme="dark" />
        </div>
      )}
    </Card>
  );
}

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

interface FieldsProps {
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
    <TextField
      label={BRAND.name}
      hint={BRAND.nameHint}
      error={fieldProblem(problem, 'name')}
      counter={{ used: countCharacters(draft.name), most: NAME_MAX_LENGTH }}
      value={draft.name}
      onChange={(name) => change({ name })}
      autoComplete="organization"
    />
    <LogoField base={base} onDone={onLogo} onConflict={onConflict} />
  </Card>
);

export function ContactCard({ draft, change, problem }: FieldsProps) {
  const bind = (name: 'office_phone' | 'license' | 'website') => ({
    value: draft[name] ?? '',
    error: fieldProblem(problem, name),
    onChange: (text: string) => change({ [name]: emptyAsNull(name === 'website' ? text.trim() : text) }),
    optional: true,
  });
  return (
    <Card title={BRAND.contact}>
      <PhoneNumberField
        {...bind('office_phone')}
        label={BRAND.officePhone}
        hint={BRAND.officePhoneHint}
        autoComplete="tel"
      />
      <TextField {...bind('license')} label={BRAND.license} hint={BRAND.licenseHint} />
      <TextField
        {...bind('website')}
        label={BRAND.website}
        hint={BRAND.websiteHint}
        type="url"
        inputMode="url"
        autoComplete="url"
      />
    </Card>
  );
}

export const RepliesCard = ({ draft, change, problem }: FieldsProps) => (
  <Card title={BRAND.replies} lead={BRAND.repliesLead}>
    {REPLY_TYPES.map((type) => {
      const field = `reply_${type}` as const;
      const label = draft[field] ?? '';
      return (
        <TextField
          key={type}
          label={BRAND.replyLabels[type]}
          error={fieldProblem(problem, field)}
          counter={{ used: countCharacters(label), most: REPLY_LABEL_MAX_LENGTH }}
          value={label}
          placeholder={DEFAULT_REPLY_LABELS[draft.language][type]}
          onChange={(text) => change({ [field]: emptyAsNull(text) })}
        />
      );
    })}
  </Card>
);

export function TimesCard({ draft, change, problem }: FieldsProps) {
  const { timezone, texts_from: from, texts_until: until } = draft;
  const isOutside = from < LAWFUL.from || until > LAWFUL.until;
  const isAnyHour = from === 0 && until === DAY_MINUTES;
  const hour = (name: 'texts_from' | 'texts_until') => ({
    value: String(draft[name]),
    error: fieldProblem(problem, name),
    options: hourOptions(draft[name]),
    onChange: (minutes: string) => change({ [name]: Number(minutes) }),
  });
  return (
    <Card title={BRAND.times}>
      <SelectField
        {...bindFields(draft, problem, change)('language')}
        label={BRAND.language}
        hint={BRAND.languageHint}
        options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
      />
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
      <div className="grid gap-20 form-row">
        <SelectField {...hour('texts_from')} label={BRAND.textsFrom} />
        <SelectField {...hour('texts_until')} label={BRAND.textsUntil} />
      </div>
      <p className="hint">{BRAND.textsHint}</p>
      {isOutside && <Notice tone="warn">{isAnyHour ? BRAND.anyHour : BRAND.outsideLaw}</Notice>}
    </Card>
  );
}
