import {
  type ComponentPropsWithRef,
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { ApiFailure, fieldProblem, otherProblem } from '../api.ts';
import { formatPhone, readPhone } from '../format.ts';
import { PARTS } from '../texts.ts';
import { Icon, Notice } from './display.tsx';

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-required': true | undefined;
}

/** Null: no Field labels the control. */
const ControlContext = createContext<Control | null>(null);

/** Attributes that connect a control to its Field. A control without a Field needs an `aria-label`. */
export const useControl = (): Partial<Control> => useContext(ControlContext) ?? {};

interface FieldProps {
  label: ReactNode;
  /** How to fill in the field. */
  hint?: ReactNode;
  /** The error message, such as `fieldProblem(action.error, 'email')`. */
  error?: string | undefined;
  /** Shows how many of the allowed characters are used. */
  counter?: { readonly used: number; readonly most: number } | undefined;
  /** Optional fields are marked, because most fields are required. */
  optional?: boolean;
  /** For a group of choices, which have their own labels. */
  group?: boolean;
  children: ReactNode;
}

/** A label, its control, a hint, and an error. */
export function Field({ label, hint, error, counter, optional = false, group = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const control: Control = {
    id,
    'aria-describedby': described === '' ? undefined : described,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-required': optional ? undefined : true,
  };
  const text = (
    <>
      {label}
      {optional && <span className="hint">{` ${PARTS.optional}`}</span>}
    </>
  );
  const Label = group ? 'span' : 'label';
  const over = counter !== undefined && counter.used > counter.most;
  return (
    <div
      className="field"
      {...(group && {
        role: 'group',
        'aria-labelledby': `${id}-label`,
        'aria-describedby': control['aria-describedby'],
      })}
    >
      <div className="field-head">
        <Label id={`${id}-label`} className="medium" {...(!group && { htmlFor: id })}>
          {text}
        </Label>
        {counter !== undefined && (
          <span className={over ? 'hint figures nowrap bad-text' : 'hint figures nowrap'}>
            {PARTS.characters(counter.used, counter.most)}
          </span>
        )}
      </div>
      <ControlContext value={group ? null : control}>{children}</ControlContext>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      <p id={`${id}-error`} className="field-error" role={error === undefined ? undefined : 'alert'}>
        {error !== undefined && (
          <>
            <Icon name="warn" />
            {error}
          </>
        )}
      </p>
    </div>
  );
}

/** Counts as the server does: an emoji is one character. */
const countCharacters = (text: string): number => [...text].length;

/** The form's error, unless one of these fields shows it. Placed above the buttons. */
export function FormProblem({ error, fields }: { error: unknown; fields: readonly string[] }) {
  const problem = otherProblem(error, fields);
  return problem === undefined ? null : (
    <Notice tone="bad" live>
      {problem}
    </Notice>
  );
}

/** After a rejected form, focuses the invalid field, which may be out of view. */
export function useFocusProblem<E extends HTMLElement>(error: unknown): RefObject<E | null> {
  const form = useRef<E>(null);
  // Runs after the field is marked as invalid.
  useEffect(() => {
    if (!(error instanceof ApiFailure) || error.field === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return form;
}

interface InputProps extends Omit<ComponentPropsWithRef<'input'>, 'onChange' | 'value'> {
  value: string;
  onChange: (value: string) => void;
}

export const Input = ({ value, onChange, ...rest }: InputProps) => (
  <input
    type="text"
    autoComplete="off"
    {...useControl()}
    {...rest}
    className={`input ${rest.className ?? ''}`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

interface TextAreaProps extends Omit<ComponentPropsWithRef<'textarea'>, 'onChange' | 'value'> {
  value: string;
  onChange: (value: string) => void;
}

/** Grows with its content, if the browser supports it. */
export const TextArea = ({ value, onChange, ...rest }: TextAreaProps) => (
  <textarea
    rows={3}
    {...useControl()}
    {...rest}
    className={`input textarea ${rest.className ?? ''}`}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

/**
 * Accepts numbers in any usual notation; ten digits are a US number. The value is E.164, such as `+14155550123`, or the typed text
 * while it is not a valid number.
 */
function PhoneInput({ value, onChange, ...rest }: InputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const change = (text: string) => {
    setTyped(text);
    onChange(readPhone(text));
  };
  return (
    <Input
      {...rest}
      type="tel"
      inputMode="tel"
      value={typed ?? formatPhone(value)}
      onChange={change}
      onBlur={() => setTyped(null)}
    />
  );
}

export interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly disabled?: boolean;
}

interface SelectProps<T extends string>
  extends Omit<ComponentPropsWithRef<'select'>, 'onChange' | 'value' | 'children'> {
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
}

/** A native select, which works best on phones and with keyboards. For many options, use Combobox. */
export function Select<T extends string>({ value, options, onChange, ...rest }: SelectProps<T>) {
  const control = useControl();
  const choose = (chosen: string) => {
    const option = options.find((each) => each.value === chosen);
    if (option !== undefined) onChange(option.value);
  };
  return (
    <span className="select">
      <select
        {...control}
        {...rest}
        className={`input ${rest.className ?? ''}`}
        value={value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

interface TickProps {
  role?: 'switch';
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

/** Takes effect when its form is saved. */
export function Checkbox({ role, label, hint, checked, onChange, disabled = false }: TickProps) {
  const id = useId();
  return (
    <span className={role === 'switch' ? 'tick tick-switch' : 'tick'}>
      <input
        id={id}
        type="checkbox"
        role={role}
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className="hint tick-hint">
          {hint}
        </span>
      )}
    </span>
  );
}

/** Takes effect immediately. */
export const Switch = (props: TickProps) => <Checkbox role="switch" {...props} />;

interface ChoiceProps<T extends string> {
  value: T;
  options: readonly (Option<T> & { readonly hint?: ReactNode })[];
  onChange: (value: T) => void;
  /** Needed where no surrounding Field with `group` names the choice. */
  label?: string;
}

function Choices<T extends string>({
  value,
  options,
  onChange,
  label,
  className,
}: ChoiceProps<T> & { className: string }) {
  const name = useId();
  const { 'aria-describedby': describedBy } = useControl();
  return (
    <div className={className} role="radiogroup" aria-label={label} aria-describedby={describedBy}>
      {options.map((option) => (
        <label key={option.value} className="choice">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled}
            onChange={() => onChange(option.value)}
          />
          <span className="grid">
            <span>{option.label}</span>
            {option.hint !== undefined && <span className="hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}

/** One of a few options, with room for a hint on each. */
const RadioGroup = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} className="grid gap-12 radios" />;

/** One of two to five short options side by side, for a view or a filter. No room for hints. */
export const Segmented = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} className="segments" />;

type SelectFieldProps<T extends string> = Pick<FieldProps, 'label' | 'hint' | 'error'> & SelectProps<T>;

export const SelectField = <T extends string>({ label, hint, error, ...select }: SelectFieldProps<T>) => (
  <Field {...{ label, hint, error }}>
    <Select {...select} />
  </Field>
);

/** The value of a field, its problem, and how it changes. */
export interface Bound<Value = unknown> {
  readonly value: Value;
  readonly error: string | undefined;
  readonly onChange: (value: Value) => void;
}

/** A field of a form as data: forms, their checks, conflicts and histories are made of it. */
export interface FieldInfo<Values, Name extends keyof Values & string = keyof Values & string> {
  readonly name: Name;
  readonly label: string;
  readonly hint?: ReactNode;
  /** A field may have a control of its own instead: see `Controls`. */
  readonly kind?: keyof typeof TEXTS | 'phone' | 'area' | 'select' | 'radios' | 'check' | 'checks';
  readonly options?: readonly (Option<string> & { readonly hint?: ReactNode })[];
  /** Empty text is null. */
  readonly optional?: boolean;
  /** Says what to enter, when a required field is empty. */
  readonly missing?: string | undefined;
  /** In characters. */
  readonly most?: number;
  readonly isCounted?: boolean;
  /** More attributes of the input. */
  readonly input?: Pick<
    ComponentPropsWithRef<'input'>,
    'placeholder' | 'autoComplete' | 'autoCapitalize' | 'autoFocus' | 'inputMode' | 'spellCheck'
  >;
  readonly disabled?: boolean;
  /** Next to another half. */
  readonly isHalf?: boolean;
  /** Hidden under "More" until it has a value. */
  readonly isMore?: boolean;
  /** The value in a conflict or a history. */
  readonly show?: (value: never) => ReactNode;
}

/** The inputs of the kinds whose value is a text in one line. */
const TEXTS = {
  text: {},
  email: { type: 'email', inputMode: 'email', spellCheck: false },
  url: { type: 'url', inputMode: 'url', spellCheck: false },
  /** A phone number as it is typed, which the server reads. */
  tel: { type: 'tel', inputMode: 'tel' },
  number: { type: 'number', inputMode: 'numeric' },
  /** In the organization's time zone: `2026-03-12T14:30`. */
  time: { type: 'datetime-local' },
} as const satisfies Record<string, ComponentPropsWithRef<'input'>>;

const isText = ({ kind = 'text' }: FieldInfo<never>) => kind in TEXTS || kind === 'phone' || kind === 'area';

const normalize = (value: unknown): unknown => (Array.isArray(value) ? [...value].sort().join() : value);
/** Compares the values of a field; lists are equal in any order. */
export const isSame = (one: unknown, other: unknown): boolean => normalize(one) === normalize(other);

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || value === undefined || (Array.isArray(value) && value.length === 0);

/** The value as stored: without spaces around it, and null when it is empty and optional. */
export function tidy<Values extends object>(list: readonly FieldInfo<Values>[], changes: Partial<Values>) {
  const entries = Object.entries(changes).map(([name, value]) => {
    const field = list.find((one) => one.name === name);
    if (field === undefined || typeof value !== 'string' || !isText(field as FieldInfo<never>)) return [name, value];
    const text = value.trim();
    return [name, text === '' && field.optional === true ? null : text];
  });
  return Object.fromEntries(entries) as Partial<Values>;
}

/** Rejects values of required fields that are empty, all at once. */
export function requireAll<Values extends object>(list: readonly FieldInfo<Values>[], values: Values): void {
  const problems = list.flatMap(({ name, missing }) => {
    const value: unknown = values[name];
    return missing !== undefined && isEmpty(typeof value === 'string' ? value.trim() : value)
      ? [{ field: name, message: missing }]
      : [];
  });
  const [first] = problems;
  if (first !== undefined) throw new ApiFailure({ status: 422, code: 'validation_failed', ...first, problems });
}

/** A field's value in words. */
export function showValue<Values>(field: FieldInfo<Values>, value: unknown): ReactNode {
  if (field.show !== undefined) return field.show(value as never);
  if (typeof value === 'boolean') return value ? PARTS.on : PARTS.off;
  const labelOf = (one: unknown) => field.options?.find((option) => option.value === (one ?? ''))?.label;
  if (isEmpty(value)) return labelOf(value) ?? PARTS.notSet;
  return [value]
    .flat()
    .map((one) => labelOf(one) ?? String(one))
    .join(', ');
}

function FieldControl<Values>({ field, bound }: { field: FieldInfo<Values>; bound: Bound<never> }) {
  const { label, hint, kind = 'text', options = [], optional = false, most, isCounted, disabled = false } = field;
  const { error } = bound;
  const value: unknown = bound.value;
  const onChange = bound.onChange as (value: unknown) => void;
  if (kind === 'check') return <Checkbox {...{ label, hint, onChange, disabled }} checked={value === true} />;
  if (kind === 'select') {
    const choose = (chosen: string) => onChange(chosen === '' && optional ? null : chosen);
    return <SelectField {...{ label, hint, error, options, disabled }} value={String(value ?? '')} onChange={choose} />;
  }
  if (kind === 'radios') {
    return (
      <Field {...{ label, hint, error }} group>
        <RadioGroup {...{ options, onChange }} value={String(value)} />
      </Field>
    );
  }
  if (kind === 'checks') {
    const chosen = value as readonly string[];
    return (
      <Field {...{ label, hint, error }} group>
        <div className={options.some((option) => option.hint !== undefined) ? 'grid gap-12' : 'wrap gap-20'}>
          {options.map((option) => (
            <Checkbox
              key={option.value}
              label={option.label}
              hint={option.hint}
              checked={chosen.includes(option.value)}
              onChange={(on) => onChange(on ? [...chosen, option.value] : chosen.filter((one) => one !== option.value))}
            />
          ))}
        </div>
      </Field>
    );
  }
  const text = typeof value === 'string' ? value : '';
  const change = (typed: string) => onChange(typed === '' && optional ? null : typed);
  const input = { ...field.input, disabled, value: text, onChange: change };
  const counter = isCounted === true && most !== undefined ? { used: countCharacters(text), most } : undefined;
  const limit = counter === undefined ? { maxLength: most } : {};
  return (
    <Field {...{ label, hint, error, counter, optional }}>
      {kind === 'area' && <TextArea value={text} onChange={change} {...limit} spellCheck={field.input?.spellCheck} />}
      {kind === 'phone' && <PhoneInput {...input} />}
      {kind in TEXTS && <Input {...TEXTS[kind as keyof typeof TEXTS]} {...input} {...limit} />}
    </Field>
  );
}

/** Controls of fields that no kind describes. */
export type Controls<Values> = { readonly [Name in keyof Values]?: (bound: Bound<Values[Name]>) => ReactNode };

interface FieldsProps<Values extends object> {
  list: readonly FieldInfo<Values>[];
  values: Values;
  error: unknown;
  onChange: (change: Partial<Values>) => void;
  controls?: Controls<Values>;
}

/** The fields of a form. Those that rarely matter are hidden until they have a value or a problem. */
export function Fields<Values extends object>(props: FieldsProps<Values>) {
  const { list, values, error, onChange, controls } = props;
  // A choice always has a value.
  const [isOpen, setOpen] = useState(() =>
    list.some(({ isMore, kind, name }) => isMore === true && kind !== 'select' && !isEmpty(values[name])),
  );
  const render = (field: FieldInfo<Values>) => {
    const { name, isHalf = false } = field;
    const custom = controls?.[name] as ((bound: Bound<never>) => ReactNode) | undefined;
    const bound = {
      value: values[name] as never,
      error: fieldProblem(error, name),
      onChange: (value: unknown) => onChange({ [name]: value } as unknown as Partial<Values>),
    };
    return (
      <div key={name} className={isHalf ? 'field-half' : undefined}>
        {custom === undefined ? <FieldControl field={field} bound={bound} /> : custom(bound)}
      </div>
    );
  };
  const rare = list.filter(({ isMore }) => isMore === true);
  const common = list.filter((field) => !rare.includes(field));
  return (
    <>
      {common.length > 0 && <div className="fields">{common.map(render)}</div>}
      {rare.length > 0 && (
        <More isOpen={isOpen || rare.some(({ name }) => fieldProblem(error, name) !== undefined)} onToggle={setOpen}>
          <div className="fields">{rare.map(render)}</div>
        </More>
      )}
    </>
  );
}

interface MoreProps {
  label?: string;
  isOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
  children: ReactNode;
}

/** Settings that are rarely changed. */
export const More = ({ label = PARTS.more, isOpen, onToggle, children }: MoreProps) => (
  <details open={isOpen} onToggle={(event) => onToggle?.(event.currentTarget.open)}>
    <summary>{label}</summary>
    <div className="stack">{children}</div>
  </details>
);
