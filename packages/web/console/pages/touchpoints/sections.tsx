import type { TouchpointContent, TouchpointDetail, TouchpointFit, TouchpointPreview } from '@foreword/contract';
import {
  ACTION_LABEL_MAX,
  DEFAULT_LANGUAGE,
  LANGUAGES,
  type Language,
  type TimeUnit,
  UNIT_MINUTES,
  unitOf,
} from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldProblem } from '../../api.ts';
import { useDebounced } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Card, MessageBubble, Notice } from '../../parts/display.tsx';
import {
  Checkbox,
  Field,
  NumberInput,
  RadioGroup,
  Segmented,
  Select,
  SelectField,
  TextField,
} from '../../parts/form.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TextSize } from '../../parts/text-size.tsx';
import { load } from '../../queries.ts';
import { LANGUAGE_NAMES } from '../../texts.ts';
import { contextOptions, laneOptions } from './create-dialogs.tsx';
import { findProblem, hasWarning, pick } from './preview.tsx';
import { SCRIPT_HASH } from './queries.ts';
import type { TouchpointDraft } from './saving.tsx';
import { TemplateField } from './template-field.tsx';
import { CONTEXTS, TIME_UNITS, TOUCHPOINT } from './texts.ts';

/** The fields that have a version in each language. */
const FIELDS_IN = {
  en: { script: 'script', page_title: 'page_title', text_message: 'text_message', action_label: 'action_label' },
  es: {
    script: 'script_es',
    page_title: 'page_title_es',
    text_message: 'text_message_es',
    action_label: 'action_label_es',
  },
} as const satisfies Record<Language, Record<string, keyof TouchpointContent>>;

/** The texts for recipients with this language. Without a Spanish script, they are English. */
export function contentIn(language: Language, content: TouchpointContent) {
  const { script_es, page_title_es, text_message_es, invites_to_save } = content;
  return language === 'es' && script_es !== null
    ? ({
        language,
        script: script_es,
        page_title: page_title_es,
        text_message: text_message_es,
        invites_to_save,
      } as const)
    : ({ ...content, language: 'en' } as const);
}

/** The label of the button on pages in a language. */
export const shownLabel = (
  language: Language,
  { action_label, action_label_es }: Pick<TouchpointContent, 'action_label' | 'action_label_es'>,
): string | null => (language === 'es' ? (action_label_es ?? action_label) : action_label);

interface SwitchProps {
  language: Language;
  onChange: (language: Language) => void;
}

export const LanguageSwitch = ({ language, onChange }: SwitchProps) => (
  <div className="wrap middle editor-language">
    <Segmented
      label={TOUCHPOINT.language}
      value={language}
      onChange={onChange}
      options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
    />
    <p>{TOUCHPOINT.languageHint}</p>
  </div>
);

interface MissingProps {
  text: string;
  action: string;
  onAdd: () => void;
}

/** In place of a field that has no version in the language. */
const Missing = ({ text, action, onAdd }: MissingProps) => (
  <Notice
    action={
      <Button kind="quiet" small onClick={onAdd}>
        {action}
      </Button>
    }
  >
    {text}
  </Notice>
);

const RemoveVersion = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <div>
    <Button kind="quiet" small onClick={onRemove}>
      {label}
    </Button>
  </div>
);

const OPTIONS = (['minute', 'hour', 'day'] as const).map((value) => ({ value, label: TIME_UNITS[value] }));

interface RecordingTimeFieldProps {
  /** 0 while the field is empty. */
  minutes: number;
  onChange: (minutes: number) => void;
  error: string | undefined;
}

/** An amount and its unit. Choosing another unit keeps the amount. */
function RecordingTimeField({ minutes, onChange, error }: RecordingTimeFieldProps) {
  // Kept while it fits, so that 24 hours do not turn into a day while they are typed.
  const [chosen, setChosen] = useState<TimeUnit | null>(null);
  const unit = chosen !== null && minutes % UNIT_MINUTES[chosen] === 0 ? chosen : unitOf(minutes);
  const amount = minutes / UNIT_MINUTES[unit];
  const change = (newAmount: number, newUnit: TimeUnit) => {
    setChosen(newUnit);
    onChange(newAmount * UNIT_MINUTES[newUnit]);
  };
  return (
    <Field label={TOUCHPOINT.recordingTime} hint={TOUCHPOINT.recordingTimeHint} error={error} group>
      <div className="grid gap-12 recording-time">
        <NumberInput
          aria-label={TOUCHPOINT.recordingTime}
          {...(error !== undefined && { 'aria-invalid': true })}
          value={amount === 0 ? null : amount}
          onChange={(value) => change(value ?? 0, unit)}
        />
        <Select
          aria-label={TOUCHPOINT.recordingTimeUnit}
          value={unit}
          options={OPTIONS}
          onChange={(value) => change(amount, value)}
        />
      </div>
    </Field>
  );
}

const TYPING_PAUSE_MS = 900;
const MAX_ROWS = 8;

/** Warns when members need more than the recommended time, and when they would be cut off. */
function Summary({ fit }: { fit: TouchpointFit }) {
  const { over, active_members: active, limit_seconds: limit, end_seconds: end, checked } = fit;
  const rest = checked < active && <> {TOUCHPOINT.fitChecked(checked)}</>;
  const cutOff = over.filter(({ seconds }) => seconds > end).length;
  if (cutOff > 0) {
    return (
      <Notice tone="warn">
        {TOUCHPOINT.fitCutOff(cutOff, active, end)}
        {rest}
      </Notice>
    );
  }
  if (over.length === 0) {
    return (
      <Notice tone="good">
        {TOUCHPOINT.fitAll(active, limit)}
        {rest}
      </Notice>
    );
  }
  return (
    <Notice tone="warn">
      {TOUCHPOINT.fitOver(over.length, active, limit)} {TOUCHPOINT.fitShorten}
      {rest}
    </Notice>
  );
}

/** Lists the members who couldn't read the script in time. */
export function LengthCheck({ script, language }: { script: string; language: Language }) {
  const draft = useDebounced({ script, ...(language !== DEFAULT_LANGUAGE && { language }) }, TYPING_PAUSE_MS);
  const query = useQuery({
    ...load(['members', 'touchpoint-fit', draft], 'POST /touchpoint-fit', { body: draft }),
    placeholderData: (previous) => previous,
  });
  const { data } = query;
  const lead = data === undefined ? undefined : TOUCHPOINT.fitLead(data.longest_recipient, data.longest_member);
  return (
    <Card title={TOUCHPOINT.fitTitle} lead={lead}>
      <Loaded query={query}>
        {(fit) => {
          const { over, problem } = fit;
          if (problem !== null) return <Notice tone="warn">{TOUCHPOINT.fitBroken}</Notice>;
          if (fit.active_members === 0) return <Notice>{TOUCHPOINT.fitNoMembers}</Notice>;
          return (
            <>
              <Summary fit={fit} />
              {over.length > 0 && (
                <ul className="grid fit" aria-label={TOUCHPOINT.fitList}>
                  {over.slice(0, MAX_ROWS).map((one) => (
                    <li key={one.id}>
                      <Link to="/members/$id" params={{ id: one.id }} className="fit-name">
                        {one.name}
                      </Link>
                      <span className="hint fit-pace">{TOUCHPOINT.fitPace(one.words_per_minute, one.is_own_pace)}</span>
                      <strong>{TOUCHPOINT.fitSeconds(one.seconds)}</strong>
                    </li>
                  ))}
                  {over.length > MAX_ROWS && (
                    <li className="hint fit-pace">{TOUCHPOINT.fitMore(over.length - MAX_ROWS)}</li>
                  )}
                </ul>
              )}
              <p className="hint fit-pace">
                {TOUCHPOINT.fitLongest(fit.words, fit.seconds, fit.default_words_per_minute)}
              </p>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

const ADVANCED_FIELDS = ['context', 'lane'] as const;

interface SectionProps {
  draft: TouchpointDraft;
  detail: TouchpointDetail;
  /** The language whose texts are edited. */
  language: Language;
  /** Undefined while it loads, and while it shows another language. */
  preview: TouchpointPreview | undefined;
  /** The selected rendering of the preview. */
  people: string;
  /** The error of the last save. */
  error: unknown;
}

/** Prefers the preview's problem, which has a line, over the one from saving. */
function problemOf(field: 'script' | 'page_title' | 'text_message', { language, preview, error }: SectionProps) {
  const found = findProblem(preview, field);
  return { line: found.line, error: found.error ?? fieldProblem(error, FIELDS_IN[language][field]) };
}

/** Settings that rarely change, and the slug. */
export function AdvancedSection({ draft, detail, error }: SectionProps) {
  const [isOpen, setOpen] = useState(false);
  const { content, base } = draft;
  const addsAppointment = content.context === 'appointment' && base.context !== 'appointment';
  return (
    <details
      className="card advanced"
      // An invalid field must be visible.
      open={isOpen || ADVANCED_FIELDS.some((field) => fieldProblem(error, field) !== undefined)}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>{TOUCHPOINT.advancedTitle}</h2>
      </summary>
      <div className="grid gap-20 form-row">
        <SelectField
          label={TOUCHPOINT.context}
          hint={addsAppointment ? TOUCHPOINT.contextWarn : CONTEXTS[content.context].hint}
          error={fieldProblem(error, 'context')}
          value={content.context}
          options={contextOptions()}
          onChange={(context) => draft.set('context', context)}
        />
        {detail.lanes.length > 0 && (
          <SelectField
            label={TOUCHPOINT.lane}
            error={fieldProblem(error, 'lane')}
            value={content.lane ?? 'every'}
            options={laneOptions(detail.lanes)}
            onChange={(lane) => draft.set('lane', lane === 'every' ? null : lane)}
          />
        )}
      </div>
      <dl className="slug">
        <dt>{TOUCHPOINT.slug}</dt>
        <dd>
          <code>{detail.slug}</code>
          <p>{TOUCHPOINT.slugWhy}</p>
        </dd>
      </dl>
    </details>
  );
}

export function ScriptSection(props: SectionProps) {
  const { draft, detail, language, preview } = props;
  const startsHere = useLocation({ select: ({ hash }) => hash === SCRIPT_HASH });
  const field = FIELDS_IN[language].script;
  const script = draft.content[field];
  return (
    <Card title={TOUCHPOINT.scriptTitle} lead={TOUCHPOINT.scriptLead}>
      {script === null ? (
        <Missing
          text={TOUCHPOINT.noScript}
          action={TOUCHPOINT.addScript}
          onAdd={() => draft.set(field, detail.script_es ?? detail.original?.script_es ?? draft.content.script)}
        />
      ) : (
        <TemplateField
          key={field}
          label={TOUCHPOINT.script}
          value={script}
          onChange={(changed) => draft.set(field, changed)}
          variables={detail.variables}
          autoFocus={startsHere}
          {...problemOf('script', props)}
        />
      )}
      {language === 'es' && script !== null && (
        <RemoveVersion label={TOUCHPOINT.removeScript} onRemove={() => draft.set('script_es', null)} />
      )}
      {hasWarning(preview, 'script') && <Notice tone="warn">{TOUCHPOINT.warnNames}</Notice>}
    </Card>
  );
}

function TitleField(props: SectionProps) {
  const { draft, detail, language } = props;
  const field = FIELDS_IN[language].page_title;
  const title = draft.content[field];
  if (title === null) {
    const add = () =>
      draft.set(field, detail.page_title_es ?? detail.original?.page_title_es ?? draft.content.page_title);
    return <Missing text={TOUCHPOINT.noTitle} action={TOUCHPOINT.addTitle} onAdd={add} />;
  }
  return (
    <>
      <TemplateField
        key={field}
        label={TOUCHPOINT.title}
        hint={TOUCHPOINT.titleHint}
        value={title}
        onChange={(changed) => draft.set(field, changed)}
        variables={detail.variables}
        rows={2}
        oneLine
        {...problemOf('page_title', props)}
      />
      {language === 'es' && (
        <RemoveVersion label={TOUCHPOINT.removeTitle} onRemove={() => draft.set('page_title_es', null)} />
      )}
    </>
  );
}

export function PageSection(props: SectionProps) {
  const { draft, language, preview, error } = props;
  const { content } = draft;
  const labelField = FIELDS_IN[language].action_label;
  return (
    <Card title={TOUCHPOINT.pageTitle} lead={TOUCHPOINT.pageLead}>
      <TitleField {...props} />
      {hasWarning(preview, 'page_title') && <Notice tone="warn">{TOUCHPOINT.warnNames}</Notice>}
      <div className="grid gap-20 form-row">
        <TextField
          label={TOUCHPOINT.actionLabel}
          hint={language === 'es' ? TOUCHPOINT.actionHintEs : TOUCHPOINT.actionHint}
          error={fieldProblem(error, labelField)}
          optional
          key={labelField}
          value={content[labelField] ?? ''}
          onChange={(label) => draft.set(labelField, label === '' ? null : label)}
          maxLength={ACTION_LABEL_MAX}
        />
        <TextField
          label={TOUCHPOINT.actionUrl}
          hint={TOUCHPOINT.actionUrlHint}
          error={fieldProblem(error, 'action_url')}
          optional
          type="url"
          inputMode="url"
          value={content.action_url ?? ''}
          onChange={(url) => draft.set('action_url', url.trim() === '' ? null : url.trim())}
        />
      </div>
      <Checkbox
        label={TOUCHPOINT.showsAction}
        hint={TOUCHPOINT.showsActionHint}
        checked={content.shows_action}
        onChange={(shows) => draft.set('shows_action', shows)}
      />
    </Card>
  );
}

export function TextSection(props: SectionProps) {
  const { draft, detail, language, preview, people } = props;
  const { content } = draft;
  const field = FIELDS_IN[language].text_message;
  const custom = content[field];
  const text = pick(preview, people)?.text ?? null;
  const standard = language === 'es' ? detail.default_text_es : detail.default_text;
  const choose = (choice: 'default' | 'custom') =>
    draft.set(field, choice === 'default' ? null : (detail[field] ?? standard));
  return (
    <Card title={TOUCHPOINT.textTitle} lead={TOUCHPOINT.textLead}>
      {content.delivery === 'integration' && <Notice>{TOUCHPOINT.textUnused}</Notice>}
      <Segmented
        label={TOUCHPOINT.textChoice}
        value={custom === null ? 'default' : 'custom'}
        onChange={choose}
        options={[
          { value: 'default', label: TOUCHPOINT.textDefault },
          { value: 'custom', label: TOUCHPOINT.textCustom },
        ]}
      />
      {custom !== null && (
        <TemplateField
          key={field}
          label={TOUCHPOINT.text}
          value={custom}
          onChange={(template) => draft.set(field, template)}
          variables={detail.variables}
          rows={3}
          {...problemOf('text_message', props)}
        />
      )}
      {text !== null && (
        <figure className="text-preview" aria-label={TOUCHPOINT.textBubble}>
          <MessageBubble>{text.body}</MessageBubble>
          <figcaption>
            <TextSize text={text.body} price={preview?.segment_price ?? null} />
          </figcaption>
        </figure>
      )}
    </Card>
  );
}

export function SendingSection({ draft, error }: SectionProps) {
  const { content } = draft;
  return (
    <Card title={TOUCHPOINT.sendingTitle}>
      <Field label={TOUCHPOINT.delivery} group error={fieldProblem(error, 'delivery')}>
        <RadioGroup
          value={content.delivery}
          onChange={(delivery) => draft.set('delivery', delivery)}
          options={[
            { value: 'service', label: TOUCHPOINT.service, hint: TOUCHPOINT.serviceHint },
            { value: 'integration', label: TOUCHPOINT.integration, hint: TOUCHPOINT.integrationHint },
          ]}
        />
      </Field>
      <RecordingTimeField
        minutes={content.minutes_to_record}
        onChange={(minutes) => draft.set('minutes_to_record', minutes)}
        error={fieldProblem(error, 'minutes_to_record')}
      />
      <Checkbox
        label={TOUCHPOINT.reminds}
        checked={content.reminds}
        onChange={(reminds) => draft.set('reminds', reminds)}
      />
      <Checkbox
        label={TOUCHPOINT.invitesToSave}
        checked={content.invites_to_save}
        onChange={(invites) => draft.set('invites_to_save', invites)}
      />
    </Card>
  );
}
