/** Folder: touchpoints: list, editor, history and results. */

import type { TouchpointList, TouchpointSummary } from '@foreword/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { type PointerEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { useNewLink } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Icon, PageHeader } from '../../parts/display.tsx';
import { Switch } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useAction } from '../../queries.ts';
import { LANE_NAMES, NAV, PARTS } from '../../texts.ts';
import { CreateDialog } from './create-dialog.tsx';
import { useOnOff } from './on-off.tsx';
import { SCRIPT_HASH, useTouchpointCache, useTouchpoints } from './queries.ts';
import { NEW_TOUCHPOINT, TOUCHPOINTS } from './texts.ts';

interface Dragged {
  readonly slug: string;
  /** The order during the move. */
  readonly order: readonly string[];
}

function movedTo(order: readonly string[], slug: string, place: number): string[] {
  return order.filter((one) => one !== slug).toSpliced(place, 0, slug);
}

/** The position of the pointer: the index of the first other row whose middle is below it. */
function placeAt(list: HTMLElement, slug: string, y: number): number {
  const others = [...list.querySelectorAll<HTMLElement>('[data-id]')].filter(({ dataset }) => dataset.id !== slug);
  const below = others.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y < top + height / 2;
  });
  return below === -1 ? others.length : below;
}

/** Reorders rows by mouse or touch; the menu of each row does so by keyboard. Each row needs `data-id`. */
function useDragging(slugs: readonly string[], onMove: (slug: string, place: number) => void) {
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const placeOf = ({ slug }: Dragged, { currentTarget, clientY }: PointerEvent<HTMLElement>) =>
    placeAt(currentTarget, slug, clientY);
  return {
    order: dragged?.order ?? slugs,
    draggedSlug: dragged?.slug,
    start(slug: string, { button, pointerId, currentTarget }: PointerEvent<HTMLElement>) {
      if (button !== 0) return;
      // The list captures the pointer, because a row that moves in the document would lose it.
      currentTarget.closest('ul')?.setPointerCapture(pointerId);
      setDragged({ slug, order: slugs });
    },
    listProps: {
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (dragged !== null) setDragged({ ...dragged, order: movedTo(slugs, dragged.slug, placeOf(dragged, event)) });
      },
      onPointerUp(event: PointerEvent<HTMLElement>) {
        if (dragged === null) return;
        setDragged(null);
        onMove(dragged.slug, placeOf(dragged, event));
      },
      onPointerCancel: () => setDragged(null),
    },
  };
}

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
  const move = useMove();
  const [announcement, setAnnouncement] = useState('');
  const bySlug = new Map(rows.map((row) => [row.slug, row]));
  const slugs = rows.map(({ slug }) => slug);
  const moveTo = (slug: string, place: number) => {
    if (slugs[place] === slug) return;
    move(slug, movedTo(slugs, slug, place)[place + 1] ?? null);
    setAnnouncement(TOUCHPOINTS.moved(bySlug.get(slug)?.name ?? slug, place + 1, rows.length));
  };
  const { order, draggedSlug, start, listProps } = useDragging(slugs, moveTo);
  return (
    <section className="grid gap-12" {...(isOnly ? { 'aria-label': name } : { 'aria-labelledby': heading })}>
      {!isOnly && <h2 id={heading}>{name}</h2>}
      <ul {...listProps} className="list" aria-label={TOUCHPOINTS.list(name)}>
        {order.flatMap((slug, place) => {
          const row = bySlug.get(slug);
          if (row === undefined) return [];
          return (
            <li
              key={slug}
              data-id={slug}
              className={draggedSlug === slug ? 'list-row moment moment-dragged' : 'list-row moment'}
            >
              <span
                className="icon-button moment-handle"
                aria-hidden="true"
                onPointerDown={(event) => start(slug, event)}
              >
                <Icon name="drag" />
              </span>
              <Row row={row} place={place} of={rows.length} onMove={(to) => moveTo(slug, to)} onCopy={onCopy} />
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
  onMove: (place: number) => void;
  onCopy: (row: TouchpointSummary) => void;
}

function Row({ row, place, of, onMove, onCopy }: RowProps) {
  const navigate = useNavigate();
  const onOff = useOnOff(row);
  const open = TOUCHPOINTS.open(row.open_intros);
  return (
    <>
      <div className="row-text">
        <Link to="/touchpoints/$slug" params={{ slug: row.slug }} className="moment-name">
          {row.name}
        </Link>
        <span className="hint">
          {!onOff.shown && `${PARTS.off} · `}
          {TOUCHPOINTS.summary(row.context, row.words, row.seconds)}
          {open !== null && ` · ${open}`}
        </span>
        {(row.delivery === 'integration' || row.is_cut_off) && (
          <span className="wrap gap-8">
            {row.is_cut_off && <Badge tone="warn">{TOUCHPOINTS.cutOff}</Badge>}
            {row.delivery === 'integration' && <Badge>{TOUCHPOINTS.ownDelivery}</Badge>}
          </span>
        )}
      </div>
      <Link
        to="/touchpoints/$slug"
        params={{ slug: row.slug }}
        hash={SCRIPT_HASH}
        className="icon-button"
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
          { label: NEW_TOUCHPOINT.createCopy, icon: 'copy', run: () => onCopy(row) },
          { label: TOUCHPOINTS.moveUp, icon: 'up', disabled: place === 0, run: () => onMove(place - 1) },
          { label: TOUCHPOINTS.moveDown, icon: 'down', disabled: place === of - 1, run: () => onMove(place + 1) },
        ]}
      />
      {onOff.dialog}
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
  const createButton = <Button icon="plus" onClick={() => setCreating(true)} label={NEW_TOUCHPOINT.title} />;
  return (
    <>
      <PageHeader title={NAV.touchpoints} lead={TOUCHPOINTS.lead} actions={createButton} />
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
            <CreateDialog open={isCreating} onClose={() => setCreating(false)} list={list} />
            {copied !== null && <CreateDialog source={copied} onClose={() => setCopied(null)} list={list} />}
          </>
        )}
      </Loaded>
    </>
  );
}
