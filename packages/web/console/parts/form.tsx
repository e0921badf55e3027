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

const UNLABELED: Control = {
  id: '',
  'aria-describedby': undefined,
  'aria-invalid': undefined,
  'aria-required': undefined,
};
const ControlContext = createContext<Control>(UNLABELED);

/** Attributes that connect a control to its Field. A control without a Field needs an `aria-label`. */
export function useControl(): Omit<Control, 'id'> & { id: string | undefined } {
  const control = useContext(ControlContext);
  return { ...control, id: control.id === '' ? undefined : control.id };
}

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
      {optional && <span className="hint field-optional"> {PARTS.optional}</span>}
    </>
  );
  const Label = group ? 'span' : 'label';
  const over = counter !== undefined && counter.used > counter.most;
  return (
    <div
      className={error === undefined ? 'field' : 'field field-bad'}
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
          <span className={over ? 'figures nowrap field-counter field-over' : 'figures nowrap field-counter'}>
            {PARTS.characters(counter.used, counter.most)}
          </span>
        )}
      </div>
      <ControlContext value={group ? UNLABELED : control}>{children}</ControlContext>
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
export const countCharacters = (text: string): number => [...text].length;

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

interface NumberInputProps extends Omit<InputProps, 'value' | 'onChange'> {
  /** Null when the field is empty. */
  value: number | null;
  onChange: (value: number | null) => void;
}

/** Whole numbers. Not `type=number`, because the mouse wheel would change its value unnoticed. */
export function NumberInput({ value, onChange, ...rest }: NumberInputProps) {
  const change = (text: string) => {
    const digits = text.replace(/\D/g, '');
    onChange(digits === '' ? null : Number(digits));
  };
  return (
    <Input {...rest} inputMode="numeric" maxLength={9} value={value === null ? '' : String(value)} onChange={change} />
  );
}

interface PhoneInputProps extends Omit<InputProps, 'value' | 'onChange'> {
  /** E.164, such as `+14155550123`, or the typed text while it is not a valid number. */
  value: string;
  onChange: (value: string) => void;
}

/** Accepts numbers in any usual notation; ten digits are a US number. */
function PhoneInput({ value, onChange, ...rest }: PhoneInputProps) {
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
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

function Tick({ role, label, hint, checked, onChange, disabled = false }: TickProps & { role?: 'switch' }) {
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

/** Takes effect when its form is saved. */
export const Checkbox = (props: TickProps) => <Tick {...props} />;

/** Takes effect immediately. */
export const Switch = (props: TickProps) => <Tick role="switch" {...props} />;

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
          <span className="choice-text">
            <span className="choice-label">{option.label}</span>
            {option.hint !== undefined && <span className="hint choice-hint">{option.hint}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}

/** One of a few options, with room for a hint on each. */
export const RadioGroup = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} className="radios" />;

/** One of two to five short options side by side, for a view or a filter. No room for hints. */
export const Segmented = <T extends string>(props: ChoiceProps<T>) => <Choices {...props} className="segments" />;

type LabeledProps = Omit<FieldProps, 'children' | 'group'>;

export const TextField = ({ label, hint, error, counter, optional = false, ...input }: LabeledProps & InputProps) => (
  <Field {...{ label, hint, error, counter, optional }}>
    <Input {...input} />
  </Field>
);

export const PhoneNumberField = ({
  label,
  hint,
  error,
  optional = false,
  ...input
}: LabeledProps & PhoneInputProps) => (
  <Field {...{ label, hint, error, optional }}>
    <PhoneInput {...input} />
  </Field>
);

export function SelectField<T extends string>(props: LabeledProps & SelectProps<T>) {
  const { label, hint, error, optional = false, ...select } = props;
  return (
    <Field {...{ label, hint, error, optional }}>
      <Select {...select} />
    </Field>
  );
}

/** The value, the problem and the change of each field of a form, for its control. */
export const bindFields =
  <Values extends object>(values: Values, error: unknown, onChange: (change: Partial<Values>) => void) =>
  <Name extends keyof Values & string>(name: Name) => ({
    value: values[name],
    error: fieldProblem(error, name),
    onChange: (value: Values[Name]) => onChange({ [name]: value } as unknown as Partial<Values>),
  });
