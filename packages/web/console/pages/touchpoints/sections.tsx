import type { TouchpointDetail, TouchpointPreview } from '@foreword/contract';
import { ACTION_LABEL_MAX, type Language } from '@foreword/contract/plain';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldProblem } from '../../failure.ts';
import { Card } from '../../parts/card.tsx';
import { Checkbox, RadioGroup, Segmented } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { Input } from '../../parts/input.tsx';
import { Notice } from '../../parts/notice.tsx';
import { MessageBubble } from '../../parts/phone-preview.tsx';
import { Select } from '../../parts/select.tsx';
import { TextSize } from '../../parts/text-size.tsx';
import { CONTEXTS, TOUCHPOINT } from '../../texts/touchpoints.ts';
import { contextOptions, laneOptions } from './create-dialogs.tsx';
import type { TouchpointDraft } from './draft.ts';
import { FIELDS_IN, Missing, RemoveVersion } from './languages.tsx';
import { findProblem, hasWarning, pick } from './preview.tsx';
import { RecordingTimeField } from './recording-time-field.tsx';
import { SCRIPT_HASH } from './script-hash.ts';
import { TemplateField } from './template-field.tsx';

const ADVANCED_FIELDS = ['context', 'lane'] as const;

export interface SectionProps {
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
      <div className="form-row">
        <Field
          label={TOUCHPOINT.context}
          hint={addsAppointment ? TOUCHPOINT.contextWarn : CONTEXTS[content.context].hint}
          error={fieldProblem(error, 'context')}
        >
          <Select
            value={content.context}
            options={contextOptions()}
            onChange={(context) => draft.set('context', context)}
          />
        </Field>
        {detail.lanes.length > 0 && (
          <Field label={TOUCHPOINT.lane} error={fieldProblem(error, 'lane')}>
            <Select
              value={content.lane ?? 'every'}
              options={laneOptions(detail.lanes)}
              onChange={(lane) => draft.set('lane', lane === 'every' ? null : lane)}
            />
          </Field>
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
      <div className="form-row">
        <Field
          label={TOUCHPOINT.actionLabel}
          hint={language === 'es' ? TOUCHPOINT.actionHintEs : TOUCHPOINT.actionHint}
          error={fieldProblem(error, labelField)}
          optional
        >
          <Input
            key={labelField}
            value={content[labelField] ?? ''}
            onChange={(label) => draft.set(labelField, label === '' ? null : label)}
            maxLength={ACTION_LABEL_MAX}
          />
        </Field>
        <Field
          label={TOUCHPOINT.actionUrl}
          hint={TOUCHPOINT.actionUrlHint}
          error={fieldProblem(error, 'action_url')}
          optional
        >
          <Input
            type="url"
            inputMode="url"
            value={content.action_url ?? ''}
            onChange={(url) => draft.set('action_url', url.trim() === '' ? null : url.trim())}
          />
        </Field>
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
    </Card>
  );
}
