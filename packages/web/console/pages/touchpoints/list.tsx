/** Folder: touchpoints: list, editor, history and results. */

import type { TouchpointList, TouchpointSummary } from '@foreword/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type PointerEvent, useId, useLayoutEffect, useRef, useState } from 'react';
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

interface Grabbed {
  readonly id: string;
  /** The order during the move. */
  readonly order: readonly string[];
  readonly by: 'pointer' | 'keys';
}

interface ReorderOptions {
  /** The saved order. */
  readonly ids: readonly string[];
  /** Called on drop. `before` is the next row, or null at the end. */
  readonly onMove: (id: string, before: string | null) => void;
  readonly announce: (step: 'grabbed' | 'moved' | 'dropped' | 'released', id: string, place: number) => void;
}

function movedTo(order: readonly string[], id: string, place: number): string[] {
  const others = order.filter((one) => one !== id);
  return others.toSpliced(Math.max(0, Math.min(place, others.length)), 0, id);
}

const sameOrder = (a: readonly string[], b: readonly string[]): boolean => a.every((id, index) => id === b[index]);

/** The position of the pointer: the index of the first row whose middle is below it. */
function placeAt(list: HTMLElement, id: string, y: number): number {
  const others = [...list.children].filter((row) => row instanceof HTMLElement && row.dataset.id !== id);
  const below = others.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y < top + height / 2;
  });
  return below === -1 ? others.length : below;
}

/** The position that a key moves the row to; null for other keys. */
function placeAfter(key: string, place: number, last: number): number | null {
  switch (key) {
    case 'ArrowUp':
      return place - 1;
    case 'ArrowDown':
      return place + 1;
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}

/** Reorders rows by touch, mouse, or keyboard. Each row needs `data-id` and a handle with the props of `handleOf`. */
function useReorder({ ids, onMove, announce }: ReorderOptions) {
  const [grabbed, setGrabbed] = useState<Grabbed | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const latest = useRef(grabbed);
  latest.current = grabbed;

  function change(next: Grabbed | null): void {
    latest.current = next;
    setGrabbed(next);
  }

  function shift(place: number): void {
    const now = latest.current;
    if (now === null) return;
    const order = movedTo(now.order, now.id, place);
    if (sameOrder(order, now.order)) return;
    change({ ...now, order });
    announce('moved', now.id, order.indexOf(now.id) + 1);
  }

  function drop(): void {
    const now = latest.current;
    if (now === null) return;
    change(null);
    announce('dropped', now.id, now.order.indexOf(now.id) + 1);
    if (!sameOrder(now.order, ids)) onMove(now.id, now.order[now.order.indexOf(now.id) + 1] ?? null);
  }

  function release(): void {
    const now = latest.current;
    if (now === null) return;
    change(null);
    announce('released', now.id, ids.indexOf(now.id) + 1);
  }

  function grab(id: string, by: Grabbed['by']): void {
    change({ id, order: ids, by });
    announce('grabbed', id, ids.indexOf(id) + 1);
  }

  // A row that moves in the document loses the focus.
  useLayoutEffect(() => {
    if (grabbed?.by !== 'keys') return;
    list.current?.querySelector<HTMLElement>(`[data-id="${grabbed.id}"] [data-handle]`)?.focus();
  }, [grabbed]);

  function press(event: KeyboardEvent, id: string): void {
    const { key } = event;
    const isGrabbed = latest.current?.by === 'keys';
    if (key === 'Escape') release();
    if (key === ' ' || key === 'Enter') {
      event.preventDefault();
      if (isGrabbed) drop();
      else grab(id, 'keys');
      return;
    }
    if (!isGrabbed) return;
    const place = latest.current?.order.indexOf(id) ?? 0;
    const next = placeAfter(key, place, ids.length - 1);
    if (next !== null) {
      event.preventDefault();
      shift(next);
    } else if (key === 'Tab') drop();
  }

  const isPointer = () => latest.current?.by === 'pointer';
  return {
    order: grabbed?.order ?? ids,
    grabbedId: grabbed?.id ?? null,
    /** The list captures the pointer, because a row that moves in the document would lose it. */
    listProps: {
      ref: list,
      onPointerMove({ clientY }: PointerEvent) {
        const now = latest.current;
        if (isPointer() && now !== null && list.current !== null) shift(placeAt(list.current, now.id, clientY));
      },
      onPointerUp: () => isPointer() && drop(),
      onPointerCancel: () => isPointer() && release(),
    },
    handleOf: (id: string) => ({
      'data-handle': true,
      'aria-pressed': grabbed?.id === id,
      onPointerDown({ button, pointerId }: PointerEvent) {
        if (button !== 0) return;
        list.current?.setPointerCapture(pointerId);
        grab(id, 'pointer');
      },
      onKeyDown: (event: KeyboardEvent) => press(event, id),
    }),
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
  const hint = useId();
  const move = useMove();
  const [announcement, setAnnouncement] = useState('');
  const bySlug = new Map(rows.map((row) => [row.slug, row]));
  const nameOf = (slug: string): string => bySlug.get(slug)?.name ?? slug;
  const { order, grabbedId, listProps, handleOf } = useReorder({
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
    <section className="grid gap-12" {...(isOnly ? { 'aria-label': name } : { 'aria-labelledby': heading })}>
      {!isOnly && <h2 id={heading}>{name}</h2>}
      <p id={hint} className="sr">
        {TOUCHPOINTS.handleHint}
      </p>
      <ul {...listProps} className="list" aria-label={TOUCHPOINTS.list(name)}>
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
          { label: TOUCHPOINTS.moveUp, icon: 'up', disabled: place === 0, run: () => onShift(-1) },
          { label: TOUCHPOINTS.moveDown, icon: 'down', disabled: place === of - 1, run: () => onShift(1) },
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
            {copied !== null && <CreateDialog open source={copied} onClose={() => setCopied(null)} list={list} />}
          </>
        )}
      </Loaded>
    </>
  );
}
