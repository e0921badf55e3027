import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';

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

export function movedTo(order: readonly string[], id: string, place: number): string[] {
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
export function useReorder({ ids, onMove, announce }: ReorderOptions) {
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

  const actions = useRef({ shift, drop, release });
  actions.current = { shift, drop, release };
  const isPointer = grabbed?.by === 'pointer';
  // Listens on the window, because moving the row in the document ends its pointer capture.
  useEffect(() => {
    if (!isPointer) return;
    const move = ({ clientY }: globalThis.PointerEvent) => {
      const now = latest.current;
      if (now !== null && list.current !== null) actions.current.shift(placeAt(list.current, now.id, clientY));
    };
    const end = () => actions.current.drop();
    const leave = () => actions.current.release();
    const keys = ({ key }: globalThis.KeyboardEvent) => key === 'Escape' && actions.current.release();
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
  }, [isPointer]);

  function press(event: KeyboardEvent, id: string): void {
    const { key } = event;
    const isGrabbed = latest.current?.by === 'keys';
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
    } else if (key === 'Escape') release();
    else if (key === 'Tab') drop();
  }

  return {
    list,
    order: grabbed?.order ?? ids,
    grabbedId: grabbed?.id ?? null,
    handleOf: (id: string) => ({
      'data-handle': true,
      'aria-pressed': grabbed?.id === id,
      onPointerDown(event: PointerEvent) {
        if (event.button === 0) grab(id, 'pointer');
      },
      onKeyDown: (event: KeyboardEvent) => press(event, id),
    }),
  };
}
