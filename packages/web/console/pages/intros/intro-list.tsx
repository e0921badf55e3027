import type { ConsoleIntroRow, IntroSort } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { call } from '../../api.ts';
import { formatName, formatPhone } from '../../format.ts';
import { lazyComponent } from '../../lazy.ts';
import { Button, IconButton, LinkButton } from '../../parts/button.tsx';
import { Avatar, Icon, type IconName } from '../../parts/display.tsx';
import { EmptyList } from '../../parts/states.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { type IntrosSearch, introSortOf, withChange } from '../../search-params.ts';
import { useMay } from '../../session.ts';
import { NO_TOUCHPOINT } from '../../texts.ts';
import type { BulkAction } from './bulk-dialog.tsx';
import { INTROS } from './list-texts.ts';
import { Rows, useLiveList } from './rows.tsx';
import { IntroStatus } from './status.tsx';

const NONE: ReadonlySet<string> = new Set();

function useSelection(listed: readonly ConsoleIntroRow[]) {
  const [ids, setIds] = useState(NONE);
  const last = useRef<string | null>(null);
  const rows = useMemo(() => listed.filter(({ id }) => ids.has(id)), [listed, ids]);
  return {
    /** In the order of the list. Rows that left the list are no longer selected. */
    rows,
    has: (id: string) => ids.has(id),
    /** With `isRange`, all rows up to the last one that was changed get the same state. */
    toggle(id: string, isRange: boolean) {
      const at = listed.findIndex((row) => row.id === id);
      const from = isRange ? listed.findIndex((row) => row.id === last.current) : -1;
      const changed = listed.slice(Math.min(at, from < 0 ? at : from), Math.max(at, from) + 1);
      const next = new Set(ids);
      for (const row of changed) {
        if (ids.has(id)) next.delete(row.id);
        else next.add(row.id);
      }
      last.current = id;
      setIds(next);
    },
    selectAll: () => setIds(new Set(listed.map(({ id }) => id))),
    clear() {
      last.current = null;
      setIds(NONE);
    },
  };
}

type Selection = ReturnType<typeof useSelection>;

/** Loads once an intro is selected. */
const BulkDialog = lazyComponent(() => import('./bulk-dialog.tsx'), 'BulkDialog');

type Bulk = Pick<ComponentProps<typeof BulkDialog>, 'action' | 'rows' | 'skipped'>;

/** The actions, each with its label and the statuses in which the server allows it. */
const BULK_ACTIONS: readonly (readonly [BulkAction, label: string, readonly ConsoleIntroRow['status'][]])[] = [
  ['remind', 'Remind', ['requested']],
  ['reassign', 'Reassign', ['requested']],
  ['cancel', 'Cancel', ['requested', 'ready']],
];

/** Actions on the selected intros: in place of the status tabs, or at the bottom of a phone. */
function BulkBar({ selection, onAction }: { selection: Selection; onAction: (bulk: Bulk) => void }) {
  const { rows: selected } = selection;
  useEffect(() => void BulkDialog.preload?.(), []);
  return (
    <section className="line wrap gap-8 bulk-bar" aria-label="Selected intros">
      <span className="bold figures bulk-count" role="status">
        {selected.length} <span className="bulk-word">selected</span>
      </span>
      {BULK_ACTIONS.map(([action, label, statuses]) => {
        const rows = selected.filter(({ status }) => statuses.includes(status));
        return (
          <Button
            key={action}
            kind="quiet"
            small
            disabled={rows.length === 0}
            onClick={() => onAction({ action, rows, skipped: selected.length - rows.length })}
            label={label}
          />
        );
      })}
      <IconButton icon="close" label="Clear selection" onClick={selection.clear} />
    </section>
  );
}

interface SortLinkProps {
  search: IntrosSearch;
  sort: IntroSort;
  name: string;
}

function SortLink({ search, sort, name }: SortLinkProps) {
  const isCurrent = introSortOf(search) === sort;
  return (
    <Link
      to="/intros"
      search={withChange(search, { sort: sort === 'created' ? undefined : sort })}
      replace
      resetScroll={false}
      className="line soft intro-sort"
      // Without `exact`, the default order would also be current for each other one.
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{ 'aria-current': 'true' }}
    >
      <span className="sr">{INTROS.sort}</span> {name}
      {isCurrent && <Icon name={sort === 'created' ? 'down' : 'up'} />}
    </Link>
  );
}

interface ColumnsProps {
  search: IntrosSearch;
  /** Whether all loaded rows are selected. */
  isAllSelected: boolean;
  onSelectAll: (selected: boolean) => void;
}

/** Column headings on wide screens, with the orders of the list. On phones the filters contain them. */
const IntroColumns = ({ search, isAllSelected, onSelectAll }: ColumnsProps) => (
  <div className="intro-item intro-columns">
    <label className="intro-select">
      <input
        type="checkbox"
        aria-label="Select all listed intros"
        checked={isAllSelected}
        onChange={(event) => onSelectAll(event.currentTarget.checked)}
      />
    </label>
    <div className="intro-row hint middle">
      <span />
      <span aria-hidden="true">{INTROS.columns.recipient}</span>
      <span aria-hidden="true">{INTROS.columns.touchpoint}</span>
      <SortLink search={search} sort="due" name="Due" />
      <SortLink search={search} sort="created" name="Requested" />
      <SortLink search={search} sort="status" name={INTROS.columns.status} />
    </div>
  </div>
);

const SOON_MS = 24 * 3_600_000;

/** The deadline to record or send. The others have none. */
function Due({ row: { status, expires_at } }: { row: ConsoleIntroRow }) {
  const now = useNowMs();
  if (expires_at === null || (status !== 'requested' && status !== 'ready')) return <span className="intro-due" />;
  const isSoon = status === 'requested' && Date.parse(expires_at) - now < SOON_MS;
  return (
    <span className={isSoon ? 'intro-due due-soon' : 'intro-due'}>
      <span className="sr">Due </span>
      <Time at={expires_at} />
    </span>
  );
}

interface IntroRowProps {
  row: ConsoleIntroRow;
  selected: boolean;
  /** Space or a click selects; with Shift (`isRange`), also all rows between this one and the last one that was changed. */
  onToggle: (isRange: boolean) => void;
}

function IntroRow({ row, selected, onToggle }: IntroRowProps) {
  const [name, member] = [formatName(row.recipient), formatName(row.member)];
  return (
    <div className={selected ? 'intro-item intro-item-selected' : 'intro-item'}>
      <label className="intro-select">
        <input
          type="checkbox"
          aria-label={`Select the intro for ${name}`}
          checked={selected}
          onChange={({ nativeEvent }) => onToggle(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
      <Link to="/intros/$id" params={{ id: row.id }} className="row intro-row">
        <Avatar name={member} photo={row.thumbnail_url} />
        <span className="grid narrow intro-recipient">
          <span className="medium ellipsis">{name}</span>
          <span className="hint ellipsis">{formatPhone(row.recipient.phone)}</span>
        </span>
        <span className="grid narrow ellipsis intro-what">
          <span className="ellipsis">{row.touchpoint?.name ?? NO_TOUCHPOINT}</span>
          <span className="hint ellipsis">{member}</span>
        </span>
        <Due row={row} />
        <span className="hint nowrap intro-created">
          <Time at={row.created_at} />
        </span>
        <span className="grid intro-status">
          <IntroStatus {...row} />
        </span>
      </Link>
    </div>
  );
}

const NO_ROWS: readonly ConsoleIntroRow[] = [];

interface EmptyProps {
  search: object;
  icon: IconName;
  title: string;
  lead: string;
}

/** In place of intros or events, with a link to the first steps of the integration. */
export function Empty({ search, icon, title, lead }: EmptyProps) {
  const action = useMay('owner') && <LinkButton to="/developers" kind="quiet" label="Connect your system" />;
  return (
    <EmptyList search={search} none="No results" icon={icon} title={title} action={action}>
      {lead}
    </EmptyList>
  );
}

/** Not from a dialog: React passes its events to this component as well. */
const isEscapeWithin = ({ key, currentTarget, target }: KeyboardEvent<HTMLElement>): boolean =>
  key === 'Escape' && target instanceof Node && currentTarget.contains(target);

interface IntroListProps {
  search: IntrosSearch;
  /** On wide screens, the actions replace them while intros are selected. */
  tabs: ReactNode;
}

/** The list of intros, and the actions on the selected ones. */
export function IntroList({ search, tabs }: IntroListProps) {
  const { sort: _sort, ...filters } = search;
  const sort = introSortOf(search);
  const list = useLiveList<ConsoleIntroRow>(
    ['intros', 'list', filters, sort],
    (after, signal) => call('GET /intros', { query: { ...filters, sort, after } }, signal),
    { isNewestFirst: sort === 'created' },
  );
  const rows = list.rows ?? NO_ROWS;
  const selection = useSelection(rows);
  const selected = selection.rows.length;
  const [bulk, setBulk] = useState<Bulk | null>(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a shortcut for the button that clears the selection.
    <div onKeyDown={(event) => isEscapeWithin(event) && selection.clear()}>
      {tabs}
      {selected > 0 && <BulkBar selection={selection} onAction={setBulk} />}
      {/* Stays open when the intros leave the list, as cancelled ones leave that of open ones. */}
      {bulk !== null && (
        <Suspense>
          <BulkDialog
            {...bulk}
            onClose={() => setBulk(null)}
            onFinished={() => {
              setBulk(null);
              selection.clear();
            }}
          />
        </Suspense>
      )}
      <Rows
        list={list}
        label={INTROS.lists[sort]}
        render={(row) => (
          <IntroRow
            row={row}
            selected={selection.has(row.id)}
            onToggle={(isRange) => selection.toggle(row.id, isRange)}
          />
        )}
        names={
          <IntroColumns
            search={search}
            isAllSelected={rows.length > 0 && selected === rows.length}
            onSelectAll={(isSelected) => (isSelected ? selection.selectAll() : selection.clear())}
          />
        }
        empty={<Empty search={filters} icon="video" title="No intros yet" lead={INTROS.emptyLead} />}
      />
    </div>
  );
}
