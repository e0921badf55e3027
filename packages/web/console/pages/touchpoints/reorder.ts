import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';

interface Taken {
  readonly id: string;
  /** The order while it is moved. */
  readonly order: readonly string[];
  readonly by: 'pointer' | 'keys';
}

interface ReorderOptions {
  /** As it is saved. */
  readonly ids: readonly string[];
  /** Where it was put down: before that one, or at the end. */
  readonly onMove: (id: string, before: string | null) => void;
  readonly announce: (what: 'grabbed' | 'moved' | 'dropped' | 'released', id: string, place: number) => void;
}

export function movedTo(order: readonly string[], id: string, place: number): string[] {
  const others = order.filter((one) => one !== id);
  return others.toSpliced(Math.max(0, Math.min(place, others.length)), 0, id);
}

const sameOrder = (a: readonly string[], b: readonly string[]): boolean => a.every((id, index) => id === b[index]);

/** Where the pointer is, among the rows: the first whose middle lies below it. */
function placeAt(list: HTMLElement, id: string, y: number): number {
  const others = [...list.children].filter((row) => row instanceof HTMLElement && row.dataset.id !== id);
  const below = others.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y < top + height / 2;
  });
  return below === -1 ? others.length : below;
}

/** Where a key moves a row to; null for a key that moves nothing. */
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

/** Rows that are put in order with a finger, a mouse or the keys. Each row has `data-id`, and a handle with `handleOf`. */
export function useReorder({ ids, onMove, announce }: ReorderOptions) {
  const [taken, setTaken] = useState<Taken | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const latest = useRef(taken);
  latest.current = taken;

  function change(next: Taken | null): void {
    latest.current = next;
    setTaken(next);
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

  function take(id: string, by: Taken['by']): void {
    change({ id, order: ids, by });
    announce('grabbed', id, ids.indexOf(id) + 1);
  }

  // A row that changes its place in the document loses the focus.
  useLayoutEffect(() => {
    if (taken?.by !== 'keys') return;
    list.current?.querySelector<HTMLElement>(`[data-id="${taken.id}"] [data-handle]`)?.focus();
  }, [taken]);

  const act = useRef({ shift, drop, release });
  act.current = { shift, drop, release };
  const isPointed = taken?.by === 'pointer';
  // On the window: the row is moved in the document under the pointer, which an element's own capture does not survive.
  useEffect(() => {
    if (!isPointed) return;
    const move = ({ clientY }: globalThis.PointerEvent) => {
      const now = latest.current;
      if (now !== null && list.current !== null) act.current.shift(placeAt(list.current, now.id, clientY));
    };
    const end = () => act.current.drop();
    const leave = () => act.current.release();
    const keys = ({ key }: globalThis.KeyboardEvent) => key === 'Escape' && act.current.release();
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', leave);
    window.addEventListener('keydown', keys);
    return () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', leave);
      window.removeEventListener('keydown', keys);
    };
  }, [isPointed]);

  function press(event: KeyboardEvent, id: string): void {
    const { key } = event;
    const holds = latest.current?.by === 'keys';
    if (key === ' ' || key === 'Enter') {
      event.preventDefault();
      if (holds) drop();
      else take(id, 'keys');
      return;
    }
    if (!holds) return;
    const place = latest.current?.order.indexOf(id) ?? 0;
    const next = placeAfter(key, place, ids.length - 1);
    if (next !== null) {
      event.preventDefault();
      shift(next);
    } else if (key === 'Escape') release();
    else if (key === 'Tab') drop();
  }

  return {
    list,
    order: taken?.order ?? ids,
    takenId: taken?.id ?? null,
    handleOf: (id: string) => ({
      'data-handle': true,
      'aria-pressed': taken?.id === id,
      onPointerDown(event: PointerEvent) {
        if (event.button === 0) take(id, 'pointer');
      },
      onKeyDown: (event: KeyboardEvent) => press(event, id),
    }),
  };
}
