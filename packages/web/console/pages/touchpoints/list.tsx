/** Folder: touchpoints: list, editor, history and results. */

import type { TouchpointList, TouchpointSummary } from '@foreword/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Switch } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { LANE_NAMES } from '../../texts/common.ts';
import { NEW_TOUCHPOINT, TOUCHPOINTS } from '../../texts/touchpoints.ts';
import { useNewLink } from '../../use-new-link.ts';
import { CopyDialog, NewDialog } from './create-dialogs.tsx';
import { ConfirmOff, useOnOff } from './on-off.tsx';
import { useTouchpointCache, useTouchpoints } from './queries.ts';
import { movedTo, useReorder } from './reorder.ts';
import { SCRIPT_HASH } from './script-hash.ts';

interface GroupProps {
  name: string;
  rows: readonly TouchpointSummary[];
  /** The only group needs no heading. */
  isOnly: boolean;
  onCopy: (row: TouchpointSummary) => void;
}

/** Moves a touchpoint at once, and rolls back if the server rejects the move. */
function useMove() {
  const cache = useTouchpointCache();
  const action = useAction({
    run: (move: { slug: string; before: string | null }) => call('POST /touchpoint-order', { body: move }),
    showsFailure: true,
    topics: ['touchpoints'],
  });
  return (slug: string, before: string | null) => {
    const rollBack = cache.updateList((list) => {
      const slugs = list.touchpoints.map((row) => row.slug);
      const place = before === null ? slugs.length : slugs.filter((one) => one !== slug).indexOf(before);
      const order = movedTo(slugs, slug, place);
      return {
        ...list,
        touchpoints: list.touchpoints.toSorted((a, b) => order.indexOf(a.slug) - order.indexOf(b.slug)),
      };
    });
    action.mutate(
      { slug, before },
      {
        onError() {
          rollBack();
          void cache.invalidate();
          showToast({ kind: 'bad', text: TOUCHPOINTS.orderFailed });
        },
      },
    );
  };
}

/** The touchpoints of one lane, which can be reordered. */
function Group({ name, rows, isOnly, onCopy }: GroupProps) {
  const heading = useId();
  const hint = useId();
  const move = useMove();
  const [announcement, setAnnouncement] = useState('');
  const bySlug = new Map(rows.map((row) => [row.slug, row]));
  const nameOf = (slug: string): string => bySlug.get(slug)?.name ?? slug;
  const { list, order, grabbedId, handleOf } = useReorder({
    ids: rows.map(({ slug }) => slug),
    onMove: move,
    announce: (step, slug, place) => setAnnouncement(TOUCHPOINTS[step](nameOf(slug), place, rows.length)),
  });
  const shift = (slug: string, by: number) => {
    const place = order.indexOf(slug) + by;
    const moved = movedTo(order, slug, place);
    move(slug, moved[moved.indexOf(slug) + 1] ?? null);
    setAnnouncement(TOUCHPOINTS.moved(nameOf(slug), place + 1, rows.length));
  };
  return (
    <section className="moments" {...(isOnly ? { 'aria-label': name } : { 'aria-labelledby': heading })}>
      {!isOnly && <h2 id={heading}>{name}</h2>}
      <p id={hint} className="sr">
        {TOUCHPOINTS.handleHint}
      </p>
      <ul ref={list} className="list" aria-label={TOUCHPOINTS.list(name)}>
        {order.flatMap((slug, place) => {
          const row = bySlug.get(slug);
          if (row === undefined) return [];
          return (
            <li
              key={slug}
              data-id={slug}
              className={grabbedId === slug ? 'list-row moment moment-grabbed' : 'list-row moment'}
            >
              <button
                type="button"
                className="icon-button moment-handle"
                aria-label={TOUCHPOINTS.handle(row.name)}
                aria-describedby={hint}
                {...handleOf(slug)}
              >
                <Icon name="drag" />
              </button>
              <Row row={row} place={place} of={rows.length} onShift={(by) => shift(slug, by)} onCopy={onCopy} />
            </li>
          );
        })}
      </ul>
      <p className="sr" aria-live="assertive">
        {announcement}
      </p>
    </section>
  );
}

interface RowProps {
  row: TouchpointSummary;
  place: number;
  of: number;
  onShift: (by: number) => void;
  onCopy: (row: TouchpointSummary) => void;
}

function Row({ row, place, of, onShift, onCopy }: RowProps) {
  const navigate = useNavigate();
  const onOff = useOnOff(row);
  const open = TOUCHPOINTS.open(row.open_intros);
  return (
    <>
      <div className="row-text">
        <Link to="/touchpoints/$slug" params={{ slug: row.slug }} className="moment-name">
          {row.name}
        </Link>
        <span className="row-more">
          {!onOff.shown && `${TOUCHPOINTS.off} · `}
          {TOUCHPOINTS.summary(row.context, row.words, row.seconds)}
          {open !== null && ` · ${open}`}
        </span>
        {row.delivery === 'integration' && (
          <span className="moment-badges">
            <Badge>{TOUCHPOINTS.ownDelivery}</Badge>
          </span>
        )}
      </div>
      <Link
        to="/touchpoints/$slug"
        params={{ slug: row.slug }}
        hash={SCRIPT_HASH}
        className="icon-button moment-edit"
        aria-label={TOUCHPOINTS.editOf(row.name)}
        title={TOUCHPOINTS.edit}
      >
        <Icon name="edit" />
      </Link>
      <Switch
        label={<span className="sr">{TOUCHPOINTS.activeLabel(row.name)}</span>}
        checked={onOff.shown}
        onChange={onOff.ask}
      />
      <Menu
        label={TOUCHPOINTS.moreFor(row.name)}
        items={[
          {
            label: TOUCHPOINTS.edit,
            icon: 'edit',
            run: () => void navigate({ to: '/touchpoints/$slug', params: { slug: row.slug }, hash: SCRIPT_HASH }),
          },
          { label: TOUCHPOINTS.copy, icon: 'copy', run: () => onCopy(row) },
          { label: TOUCHPOINTS.moveUp, icon: 'up', disabled: place === 0, run: () => onShift(-1) },
          { label: TOUCHPOINTS.moveDown, icon: 'down', disabled: place === of - 1, run: () => onShift(1) },
        ]}
      />
      <ConfirmOff touchpoint={row} onOff={onOff} />
    </>
  );
}

interface LaneGroup {
  readonly name: string;
  readonly rows: TouchpointSummary[];
}

/** Groups by lane, in the organization's order. Without several lanes, there is one group. */
function groupByLane({ touchpoints, lanes }: TouchpointList): LaneGroup[] {
  if (lanes.length < 2) return [{ name: TOUCHPOINTS.all, rows: touchpoints }];
  const groups = lanes.map((lane) => ({
    name: LANE_NAMES[lane],
    rows: touchpoints.filter((row) => row.lane === lane),
  }));
  const common = { name: TOUCHPOINTS.everyLane, rows: touchpoints.filter(({ lane }) => lane === null) };
  return [...groups, common].filter(({ rows }) => rows.length > 0);
}

export function TouchpointsPage() {
  const query = useTouchpoints();
  const [isCreating, setCreating] = useState(false);
  useNewLink(() => setCreating(true));
  const [copied, setCopied] = useState<TouchpointSummary | null>(null);
  const createButton = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      {TOUCHPOINTS.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={TOUCHPOINTS.title} lead={TOUCHPOINTS.lead} actions={createButton} />
      <Loaded query={query}>
        {(list) => (
          <>
            {list.touchpoints.length === 0 && (
              <EmptyState title={TOUCHPOINTS.empty} icon="moment">
                {TOUCHPOINTS.emptyLead}
              </EmptyState>
            )}
            {groupByLane(list).map(({ name, rows }, _, groups) => (
              <Group key={name} name={name} rows={rows} isOnly={groups.length === 1} onCopy={setCopied} />
            ))}
            <NewDialog open={isCreating} onOpenChange={setCreating} list={list} />
            <CopyDialog
              key={copied?.slug ?? ''}
              source={copied}
              name={copied === null ? '' : NEW_TOUCHPOINT.copyName(copied.name)}
              onClose={() => setCopied(null)}
              list={list}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
