import type { TouchpointContent, TouchpointDetail, TouchpointField, TouchpointPreview } from '@foreword/contract';
import {
  ACTION_LABEL_MAX,
  type Lane,
  type Language,
  NAME_MAX_LENGTH,
  type TimeUnit,
  TOUCHPOINT_CONTEXTS,
  UNIT_MINUTES,
  unitOf,
} from '@foreword/contract/plain';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/display.tsx';
import { type Bound, type Controls, Field, type FieldInfo, NumberInput, Segmented, Select } from '../../parts/form.tsx';
import { findProblem, hasWarning } from './preview.tsx';
import { SCRIPT_HASH } from './queries.ts';
import { Pills, TemplateField } from './template-field.tsx';
import { CONTEXTS, laneOptions, recordingTime, TIME_UNITS, TOUCHPOINT } from './texts.ts';

export const TABS = ['script', 'page', 'text', 'delivery', 'results'] as const;
type Tab = (typeof TABS)[number];

interface TouchpointInfo extends FieldInfo<TouchpointContent> {
  /** Null: in the header. */
  readonly tab: Tab | null;
  /** Only for the texts in this language. */
  readonly language?: Language;
}

const template = (value: string | null) => (value === null ? TOUCHPOINT.none : <Pills text={value} />);
const textMessage = (value: string | null) => (value === null ? TOUCHPOINT.textDefault : <Pills text={value} />);
const es = { language: 'es' } as const;
const en = { language: 'en' } as const;

const LIST = {
  name: {
    ...{ tab: null, label: TOUCHPOINT.name, missing: TOUCHPOINT.nameMissing, most: NAME_MAX_LENGTH },
    input: { autoFocus: true },
  },
  active: { tab: null, label: TOUCHPOINT.active },
  script: { tab: 'script', ...en, label: TOUCHPOINT.script, show: template },
  script_es: { tab: 'script', ...es, label: TOUCHPOINT.scriptEs, show: template },
  page_title: { tab: 'page', ...en, label: TOUCHPOINT.title, show: template },
  page_title_es: { tab: 'page', ...es, label: TOUCHPOINT.titleEs, show: template },
  action_label: {
    ...{ tab: 'page', ...en, label: TOUCHPOINT.actionLabel, hint: TOUCHPOINT.actionHint },
    ...{ optional: true, most: ACTION_LABEL_MAX, isHalf: true },
  },
  action_label_es: {
    ...{ tab: 'page', ...es, label: TOUCHPOINT.actionLabelEs, hint: TOUCHPOINT.actionHintEs },
    ...{ optional: true, most: ACTION_LABEL_MAX, isHalf: true },
  },
  action_url: {
    ...{ tab: 'page', label: TOUCHPOINT.actionUrl, hint: TOUCHPOINT.actionUrlHint },
    ...{ kind: 'url', optional: true, isHalf: true },
  },
  shows_action: { tab: 'page', label: TOUCHPOINT.showsAction, hint: TOUCHPOINT.showsActionHint, kind: 'check' },
  text_message: { tab: 'text', ...en, label: TOUCHPOINT.textTitle, show: textMessage },
  text_message_es: { tab: 'text', ...es, label: TOUCHPOINT.textEs, show: textMessage },
  invites_to_save: { tab: 'text', label: TOUCHPOINT.invitesToSave, kind: 'check' },
  delivery: {
    ...{ tab: 'delivery', label: TOUCHPOINT.delivery, kind: 'radios' },
    options: [
      { value: 'service', label: TOUCHPOINT.service, hint: TOUCHPOINT.serviceHint },
      { value: 'integration', label: TOUCHPOINT.integration, hint: TOUCHPOINT.integrationHint },
    ],
  },
  minutes_to_record: { tab: 'delivery', label: TOUCHPOINT.recordingTime, show: recordingTime },
  reminds: { tab: 'delivery', label: TOUCHPOINT.reminds, kind: 'check' },
  context: {
    ...{ tab: 'delivery', label: TOUCHPOINT.context, kind: 'select', isHalf: true, isMore: true },
    options: TOUCHPOINT_CONTEXTS.map((value) => ({ value, label: CONTEXTS[value].name })),
  },
  lane: { tab: 'delivery', label: TOUCHPOINT.lane, kind: 'select', optional: true, isHalf: true, isMore: true },
} as const satisfies Record<TouchpointField, Omit<TouchpointInfo, 'name'>>;

/** Every field that is edited, and whose changes the history shows. */
export const touchpointFields = (lanes: readonly Lane[]): readonly TouchpointInfo[] =>
  Object.entries(LIST).map(([name, info]) => ({
    name: name as TouchpointField,
    ...info,
    ...(name === 'lane' && { options: laneOptions(lanes) }),
  }));

export const infoOf = (lanes: readonly Lane[], field: TouchpointField): TouchpointInfo =>
  touchpointFields(lanes).find(({ name }) => name === field) as TouchpointInfo;

const UNITS = (['minute', 'hour', 'day'] as const).map((value) => ({ value, label: TIME_UNITS[value] }));

/** An amount and its unit. Choosing another unit keeps the amount. Zero minutes while the field is empty. */
function RecordingTime({ value: minutes, onChange, error }: Bound<number>) {
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
          options={UNITS}
          onChange={(value) => change(amount, value)}
        />
      </div>
    </Field>
  );
}

/** Their Spanish versions are optional. */
const TEMPLATES = {
  script: { label: TOUCHPOINT.script, hint: TOUCHPOINT.scriptLead },
  page_title: { label: TOUCHPOINT.title, hint: TOUCHPOINT.titleHint, rows: 2, oneLine: true },
} as const;
type Template = keyof typeof TEMPLATES;

interface ControlsOptions {
  detail: TouchpointDetail;
  /** Where texts in Spanish start: with the English ones. */
  content: TouchpointContent;
  /** Undefined while it loads, and while it shows another language. */
  preview: TouchpointPreview | undefined;
}

/** The controls of templates, which need the preview, and of the time to record. */
export function useControls({ detail, content, preview }: ControlsOptions): Controls<TouchpointContent> {
  const startsHere = useLocation({ select: ({ hash }) => hash === SCRIPT_HASH });
  const { variables, original } = detail;
  const problemIn = (field: Template | 'text_message', error: string | undefined) => {
    const found = findProblem(preview, field);
    return { variables, line: found.line, error: found.error ?? error };
  };
  const template = (field: Template, { value, error, onChange }: Bound<string>) => (
    <>
      <TemplateField
        {...{ ...TEMPLATES[field], value, onChange }}
        autoFocus={startsHere && field === 'script'}
        {...problemIn(field, error)}
      />
      {hasWarning(preview, field) && <Notice tone="warn">{TOUCHPOINT.warnNames}</Notice>}
    </>
  );
  const spanish = (field: Template, { value, error, onChange }: Bound<string | null>) => {
    const { none, add, remove } = TOUCHPOINT.spanish[field];
    if (value === null) {
      const own = `${field}_es` as const;
      const start = detail[own] ?? original?.[own] ?? content[field];
      return <Notice action={<Button kind="quiet" small onClick={() => onChange(start)} label={add} />}>{none}</Notice>;
    }
    return (
      <div className="grid gap-12">
        {template(field, { value, error, onChange })}
        <div>
          <Button kind="quiet" small onClick={() => onChange(null)} label={remove} />
        </div>
      </div>
    );
  };
  const text = ({ value, error, onChange }: Bound<string | null>, saved: string | null, standard: string) => (
    <div className="grid gap-12">
      <div>
        <Segmented
          label={TOUCHPOINT.textChoice}
          value={value === null ? 'default' : 'custom'}
          onChange={(choice) => onChange(choice === 'default' ? null : (saved ?? standard))}
          options={[
            { value: 'default', label: TOUCHPOINT.textDefault },
            { value: 'custom', label: TOUCHPOINT.textCustom },
          ]}
        />
      </div>
      {value !== null && (
        <TemplateField
          label={TOUCHPOINT.text}
          {...{ value, onChange }}
          rows={3}
          {...problemIn('text_message', error)}
        />
      )}
    </div>
  );
  return {
    script: (bound) => template('script', bound),
    script_es: (bound) => spanish('script', bound),
    page_title: (bound) => template('page_title', bound),
    page_title_es: (bound) => spanish('page_title', bound),
    text_message: (bound) => text(bound, detail.text_message, detail.default_text),
    text_message_es: (bound) => text(bound, detail.text_message_es, detail.default_text_es),
    minutes_to_record: (bound) => <RecordingTime {...bound} />,
  };
}
