import type { TouchpointDetail, TouchpointPreview } from '@foreword/contract';
import { ACTION_LABEL_MAX, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { fieldProblem } from '../../failure.ts';
import { Card } from '../../parts/card.tsx';
import { Checkbox, RadioGroup, Segmented } from '../../parts/choices.tsx';
import { Field } from '../../parts/field.tsx';
import { Input, NumberInput } from '../../parts/input.tsx';
import { Notice } from '../../parts/notice.tsx';
import { MessageBubble } from '../../parts/phone-preview.tsx';
import { Select } from '../../parts/select.tsx';
import { CONTEXTS, TOUCHPOINT } from '../../texts/touchpoints.ts';
import { contextOptions, laneOptions } from './create-dialogs.tsx';
import type { TouchpointDraft } from './draft.ts';
import { findProblem, hasWarning, pick } from './preview.tsx';
import { TemplateField } from './template-field.tsx';

export interface SectionProps {
  draft: TouchpointDraft;
  detail: TouchpointDetail;
  preview: TouchpointPreview | undefined;
  /** The selected rendering of the preview. */
  people: string;
  /** The error of the last save. */
  error: unknown;
}

/** Prefers the preview's problem, which has a line, over the one from saving. */
function problemOf(field: 'script' | 'page_title' | 'text_message', { preview, error }: SectionProps) {
  const found = findProblem(preview, field);
  return { line: found.line, error: found.error ?? fieldProblem(error, field) };
}

export function NameSection({ draft, detail, error }: SectionProps) {
  const { content, base } = draft;
  const addsAppointment = content.context === 'appointment' && base.context !== 'appointment';
  return (
    <Card title={TOUCHPOINT.basicsTitle}>
      <Field label={TOUCHPOINT.name} error={fieldProblem(error, 'name')}>
        <Input value={content.name} onChange={(name) => draft.set('name', name)} maxLength={NAME_MAX_LENGTH} />
      </Field>
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
    </Card>
  );
}

export function ScriptSection(props: SectionProps) {
  const { draft, detail, preview } = props;
  return (
    <Card title={TOUCHPOINT.scriptTitle} lead={TOUCHPOINT.scriptLead}>
      <TemplateField
        label={TOUCHPOINT.script}
        value={draft.content.script}
        onChange={(script) => draft.set('script', script)}
        variables={detail.variables}
        {...problemOf('script', props)}
      />
      {hasWarning(preview, 'script') && <Notice tone="warn">{TOUCHPOINT.warnNames}</Notice>}
    </Card>
  );
}

export function PageSection(props: SectionProps) {
  const { draft, detail, preview, error } = props;
  const { content } = draft;
  return (
    <Card title={TOUCHPOINT.pageTitle} lead={TOUCHPOINT.pageLead}>
      <TemplateField
        label={TOUCHPOINT.title}
        hint={TOUCHPOINT.titleHint}
        value={content.page_title}
        onChange={(title) => draft.set('page_title', title)}
        variables={detail.variables}
        rows={2}
        oneLine
        {...problemOf('page_title', props)}
      />
      {hasWarning(preview, 'page_title') && <Notice tone="warn">{TOUCHPOINT.warnNames}</Notice>}
      <div className="form-row">
        <Field
          label={TOUCHPOINT.actionLabel}
          hint={TOUCHPOINT.actionHint}
          error={fieldProblem(error, 'action_label')}
          optional
        >
          <Input
            value={content.action_label ?? ''}
            onChange={(label) => draft.set('action_label', label === '' ? null : label)}
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
  const { draft, detail, preview, people } = props;
  const { content } = draft;
  const custom = content.text_message;
  const text = pick(preview, people)?.text ?? null;
  const choose = (choice: 'default' | 'custom') =>
    draft.set('text_message', choice === 'default' ? null : (detail.text_message ?? detail.default_text));
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
          label={TOUCHPOINT.text}
          value={custom}
          onChange={(template) => draft.set('text_message', template)}
          variables={detail.variables}
          rows={3}
          {...problemOf('text_message', props)}
        />
      )}
      {text !== null && (
        <figure className="text-preview" aria-label={TOUCHPOINT.textBubble}>
          <MessageBubble>{text.body}</MessageBubble>
          <figcaption>{TOUCHPOINT.segments(text.segments, text.encoding)}</figcaption>
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
      <Field label={TOUCHPOINT.days} hint={TOUCHPOINT.daysHint} error={fieldProblem(error, 'days_to_record')}>
        <NumberInput
          value={content.days_to_record === 0 ? null : content.days_to_record}
          onChange={(days) => draft.set('days_to_record', days ?? 0)}
          className="input-short"
        />
      </Field>
      <Checkbox
        label={TOUCHPOINT.reminds}
        checked={content.reminds}
        onChange={(reminds) => draft.set('reminds', reminds)}
      />
    </Card>
  );
}
