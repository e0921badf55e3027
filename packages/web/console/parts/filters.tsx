import { type ReactNode, useEffect, useRef, useState } from 'react';
import { PARTS } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './display.tsx';
import { Field, Input, type Option, Select } from './form.tsx';

/** About the pause between typed words, so that each word causes one request. */
const DEBOUNCE_MS = 250;

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  /** Called after a pause in typing, or at once on Enter. */
  onSearch: (text: string) => void;
}

export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const searched = useRef(value);
  const search = (next: string) => {
    if (next === searched.current) return;
    searched.current = next;
    onSearch(next);
  };
  // The URL changed for another reason, such as Back or a link.
  useEffect(() => {
    if (value === searched.current) return;
    searched.current = value;
    setText(value);
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the delay restarts on each keystroke, not on each render.
  useEffect(() => {
    const timer = setTimeout(() => search(text.trim()), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search className="search">
      <Icon name="search" />
      <input
        type="search"
        className="input"
        aria-label={label}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && search(text.trim())}
      />
      {text !== '' && <IconButton icon="close" label={PARTS.searchClear} onClick={() => setText('')} />}
    </search>
  );
}

interface FiltersProps {
  /** How many filters are set. */
  set: number;
  onClear: () => void;
  children: ReactNode;
}

/** Filters that few visits need: folded, unless some are set. */
export const FoldedFilters = ({ set, onClear, children }: FiltersProps) => (
  <details {...(set > 0 && { open: true })}>
    <summary>{PARTS.filters(set)}</summary>
    <div className="filters">{children}</div>
    {set > 0 && (
      <Button kind="plain" small onClick={onClear}>
        {PARTS.clearFilters}
      </Button>
    )}
  </details>
);

interface SelectFilterProps<T extends string> {
  label: string;
  value: T;
  options: readonly Option<T>[];
  onChange: (value: T) => void;
}

export const SelectFilter = <T extends string>({ label, ...select }: SelectFilterProps<T>) => (
  <Field label={label} group>
    <Select aria-label={label} {...select} />
  </Field>
);

interface DateFiltersProps {
  labels: { readonly from: string; readonly to: string };
  from: string | undefined;
  to: string | undefined;
  onChange: (change: { from?: string; to?: string }) => void;
}

/** The first and the last day, in the organization's time zone. */
export function DateFilters({ labels, from = '', to = '', onChange }: DateFiltersProps) {
  return (
    <>
      <Field label={labels.from} group>
        <Input
          type="date"
          aria-label={labels.from}
          value={from}
          max={to}
          onChange={(value) => onChange({ from: value })}
        />
      </Field>
      <Field label={labels.to} group>
        <Input type="date" aria-label={labels.to} value={to} min={from} onChange={(value) => onChange({ to: value })} />
      </Field>
    </>
  );
}
