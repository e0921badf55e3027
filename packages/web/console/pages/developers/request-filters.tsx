import type { RequestChoices } from '@foreword/contract';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Input } from '../../parts/input.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type Option, Select } from '../../parts/select.tsx';
import type { RequestsSearch } from '../../search-params.ts';
import { REQUESTS } from '../../texts/developers.ts';

interface FiltersProps {
  search: RequestsSearch;
  choices: RequestChoices | undefined;
  onChange: (change: RequestsSearch) => void;
}

const ANY = '';
const any = (label: string): Option<string> => ({ value: ANY, label });
const METHODS = ['GET', 'POST', 'DELETE'].map((value) => ({ value, label: value }));
const CLASSES = [
  { value: '2xx', label: REQUESTS.class2xx },
  { value: '4xx', label: REQUESTS.class4xx },
  { value: '5xx', label: REQUESTS.class5xx },
];

/** A search field, with the filters in a collapsible section. */
export function RequestFilters({ search, choices, onChange }: FiltersProps) {
  const { q, ...filters } = search;
  const set = Object.values(filters).filter((value) => value !== undefined).length;
  const keys = (choices?.keys ?? []).map(({ id, name, ending }) => ({
    value: id,
    label: REQUESTS.keyName(name, ending),
  }));
  const errors = (choices?.error_codes ?? []).map((value) => ({ value, label: value }));
  const field = (name: keyof RequestsSearch, label: string, options: readonly Option<string>[]) => (
    <Field label={label} optional>
      <Select value={search[name] ?? ANY} options={options} onChange={(value) => onChange({ [name]: value })} />
    </Field>
  );
  return (
    <div className="request-filters">
      <SearchField label={REQUESTS.find} value={q ?? ''} onSearch={(text) => onChange({ q: text })} />
      <details className="fold" {...(set > 0 && { open: true })}>
        <summary>
          <Icon name="filter" />
          {set === 0 ? REQUESTS.filters : REQUESTS.filtersSet(set)}
        </summary>
        <div className="filter-grid">
          {field('method', REQUESTS.method, [any(REQUESTS.anyMethod), ...METHODS])}
          {field('status', REQUESTS.status, [any(REQUESTS.anyStatus), ...CLASSES])}
          {field('key', REQUESTS.key, [any(REQUESTS.anyKey), ...keys])}
          {field('error', REQUESTS.error, [any(REQUESTS.anyError), ...errors])}
          <Field label={REQUESTS.from} optional>
            <Input type="datetime-local" value={search.since ?? ''} onChange={(since) => onChange({ since })} />
          </Field>
          <Field label={REQUESTS.until} optional>
            <Input type="datetime-local" value={search.until ?? ''} onChange={(until) => onChange({ until })} />
          </Field>
        </div>
        {set > 0 && (
          <Button
            kind="plain"
            small
            onClick={() => onChange({ method: '', status: '', key: '', error: '', since: '', until: '' })}
          >
            {REQUESTS.clear}
          </Button>
        )}
      </details>
    </div>
  );
}
