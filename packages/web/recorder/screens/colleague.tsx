import type { Colleague } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import { useState } from 'preact/hooks';
import { UNABLE } from '#recorder-texts';
import { Brand, Note } from '../parts/page.tsx';
import { FormActions, type UnableProps } from '../parts/unable-form.tsx';

/** More names than this need a search. */
const SHORT_LIST = 8;

const toSearchable = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

interface ListProps {
  colleagues: readonly Colleague[];
  chosen: Colleague | null;
  onChoose: (colleague: Colleague) => void;
}

function ColleagueList({ colleagues, chosen, onChoose }: ListProps) {
  const [query, setQuery] = useState('');
  const wanted = toSearchable(query.trim());
  const shown = colleagues.filter(({ name }) => toSearchable(name).includes(wanted));
  return (
    <>
      {colleagues.length > SHORT_LIST && (
        <input
          type="search"
          class="search"
          aria-label={UNABLE.search}
          placeholder={UNABLE.search}
          autocomplete="off"
          value={query}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
      )}
      <div role="radiogroup" aria-label={UNABLE.colleagues} class="options">
        {shown.map((colleague) => (
          <label key={colleague.id} class="option">
            <input
              type="radio"
              name="colleague"
              checked={chosen?.id === colleague.id}
              onChange={() => onChoose(colleague)}
            />
            <span>{isolated(colleague.name)}</span>
          </label>
        ))}
      </div>
      <p class="body" role="status">
        {shown.length === 0 && UNABLE.noMatch}
      </p>
    </>
  );
}

export function ColleagueStep({ flow, model, unable: { note, busy, colleagues } }: UnableProps) {
  const [chosen, setChosen] = useState<Colleague | null>(null);
  const { organization, intro } = model.state;
  const hasFailed = colleagues === null && !busy;
  const hasList = colleagues !== null && colleagues.length > 0;
  const submit = (event: Event) => {
    event.preventDefault();
    if (chosen === null) flow.complain(UNABLE.chooseColleague);
    else void flow.handIntroOver(chosen);
  };
  return (
    <form class="page" onSubmit={submit} noValidate>
      <Brand organization={organization} />
      <div class="lead">
        <h1 tabIndex={-1}>{UNABLE.colleagueHeading(isolated(intro.recipient.first_name))}</h1>
        {hasList && <p class="body">{UNABLE.colleagueLead}</p>}
        {colleagues === null && busy && (
          <p class="body" role="status">
            {UNABLE.loading}
          </p>
        )}
        {colleagues?.length === 0 && <p class="body">{UNABLE.noColleagues}</p>}
      </div>
      {hasList && <ColleagueList colleagues={colleagues} chosen={chosen} onChoose={setChosen} />}
      {hasList ? (
        <FormActions flow={flow} note={note} busy={busy} label={UNABLE.handOverNow} />
      ) : (
        <div class="actions">
          <div role="alert">{note !== null && <Note tone="bad">{note}</Note>}</div>
          {hasFailed && (
            <button type="button" class="button" onClick={() => void flow.loadColleagues()}>
              {UNABLE.again}
            </button>
          )}
          <button type="button" class="button quiet" onClick={() => flow.showUnable('choose')}>
            {UNABLE.back}
          </button>
        </div>
      )}
    </form>
  );
}
