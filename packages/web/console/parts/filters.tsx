import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
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

interface FilterProps extends Pick<ComponentProps<typeof Input>, 'type' | 'min' | 'max'> {
  label: string;
  /** Without options, it is a date. */
  options?: readonly Option<string>[];
  value: string;
  onChange: (value: string) => void;
}

/** A choice or a date, which narrows a list. */
export const Filter = ({ label, options, type = 'date', ...input }: FilterProps) => (
  <Field label={label} group>
    {options === undefined ? (
      <Input type={type} aria-label={label} {...input} />
    ) : (
      <Select aria-label={label} options={options} value={input.value} onChange={input.onChange} />
    )}
  </Field>
);

type Search = Readonly<Record<string, string | undefined>>;

interface ListFiltersProps {
  /** The label of the search field. */
  label: string;
  placeholder?: string;
  search: Search;
  list: readonly (Omit<FilterProps, 'value' | 'onChange'> & { readonly name: string })[];
  onChange: (change: Search) => void;
  /** A filter with a control of its own. */
  children?: ReactNode;
}

/** The filters of a list: a search field, and others that few visits need. These are folded, unless some are set. */
export function ListFilters({ search, list, onChange, children, ...field }: ListFiltersProps) {
  const { q = '', ...filters } = search;
  const names = Object.keys(filters);
  return (
    <div className="grid gap-8">
      <SearchField {...field} value={q} onSearch={(text) => onChange({ q: text })} />
      <details {...(names.length > 0 && { open: true })}>
        <summary>{PARTS.filters(names.length)}</summary>
        <div className="filters">
          {children}
          {list.map(({ name, ...filter }) => (
            <Filter
              key={name}
              {...filter}
              value={search[name] ?? ''}
              onChange={(value) => onChange({ [name]: value })}
            />
          ))}
        </div>
        {names.length > 0 && (
          <Button
            kind="plain"
            small
            onClick={() => onChange(Object.fromEntries(names.map((name) => [name, ''])))}
            label={PARTS.clearFilters}
          />
        )}
      </details>
    </div>
  );
}
