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
import { type Bound, type Controls, Field, type FieldInfo, Input, Segmented, Select } from '../../parts/form.tsx';
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

const template = (value: string | null) => (value === null ? 'None' : <Pills text={value} />);
const textMessage = (value: string | null) => (value === null ? TOUCHPOINT.textDefault : <Pills text={value} />);
const es = { language: 'es' } as const;
const en = { language: 'en' } as const;

const LIST = {
  name: {
    ...{ tab: null, label: TOUCHPOINT.name, missing: TOUCHPOINT.nameMissing, most: NAME_MAX_LENGTH },
    input: { autoFocus: true },
  },
  active: { tab: null, label: 'On or off' },
  script: { tab: 'script', ...en, label: TOUCHPOINT.script, show: template },
  script_es: { tab: 'script', ...es, label: 'Script in Spanish', show: template },
  page_title: { tab: 'page', ...en, label: TOUCHPOINT.title, show: template },
  page_title_es: { tab: 'page', ...es, label: 'Page title in Spanish', show: template },
  action_label: {
    ...{ tab: 'page', ...en, label: 'Button label', hint: TOUCHPOINT.actionHint },
    ...{ optional: true, most: ACTION_LABEL_MAX, isHalf: true },
  },
  action_label_es: {
    ...{
      tab: 'page',
      ...es,
      label: 'Button label in Spanish',
      hint: 'For pages in Spanish. If empty, they show the English label.',
    },
    ...{ optional: true, most: ACTION_LABEL_MAX, isHalf: true },
  },
  action_url: {
    ...{ tab: 'page', label: 'Button URL', hint: 'Starts with https://' },
    ...{ kind: 'url', optional: true, isHalf: true },
  },
  shows_action: {
    tab: 'page',
    label: 'Show the button on the page',
    hint: 'Turn this off to hide the button and keep its label and URL.',
    kind: 'check',
  },
  text_message: { tab: 'text', ...en, label: 'Text message', show: textMessage },
  text_message_es: { tab: 'text', ...es, label: 'Text message in Spanish', show: textMessage },
  invites_to_save: { tab: 'text', label: 'Invite recipients to save the number in their first text', kind: 'check' },
  delivery: {
    ...{ tab: 'delivery', label: 'Sent by', kind: 'radios' },
    options: [
      { value: 'service', label: 'Foreword', hint: TOUCHPOINT.serviceHint },
      { value: 'integration', label: 'Your own system', hint: 'You get the link by webhook and deliver it yourself.' },
    ],
  },
  minutes_to_record: { tab: 'delivery', label: TOUCHPOINT.recordingTime, show: recordingTime },
  reminds: { tab: 'delivery', label: 'Remind members who haven’t recorded yet', kind: 'check' },
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
        {/* Not `type=number`, because the mouse wheel would change its value unnoticed. */}
        <Input
          aria-label={TOUCHPOINT.recordingTime}
          {...(error !== undefined && { 'aria-invalid': true })}
          inputMode="numeric"
          maxLength={9}
          value={amount === 0 ? '' : String(amount)}
          onChange={(text) => change(Number(text.replace(/\D/g, '')), unit)}
        />
        <Select aria-label="Unit" value={unit} options={UNITS} onChange={(value) => change(amount, value)} />
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
          label="Content"
          value={value === null ? 'default' : 'custom'}
          onChange={(choice) => onChange(choice === 'default' ? null : (saved ?? standard))}
          options={[
            { value: 'default', label: TOUCHPOINT.textDefault },
            { value: 'custom', label: 'Custom' },
          ]}
        />
      </div>
      {value !== null && (
        <TemplateField label="Custom text" {...{ value, onChange }} rows={3} {...problemIn('text_message', error)} />
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
