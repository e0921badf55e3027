import { Toast } from '@base-ui/react/toast';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { PARTS } from '../texts.ts';
import { IconButton } from './button.tsx';

export interface Message {
  readonly kind?: 'good' | 'bad';
  readonly text: string;
}

/** Long enough to read the toast and reach its button. Failures stay until dismissed. */
const SHOWN_MS = 7_000;
const MAX_TOASTS = 3;
/** By default it is a dialog, which people expect to answer. */
const IS_MESSAGE = { role: 'group', 'aria-modal': undefined } as const;

const manager = Toast.createToastManager();
let setReady: () => void;
/** The manager does not keep toasts that are added before the list is rendered. */
const ready = new Promise<void>((resolve) => {
  setReady = resolve;
});

export async function addToast({ kind = 'good', text }: Message): Promise<void> {
  await ready;
  manager.add({ id: `${kind} ${text}`, type: kind, title: text, timeout: kind === 'bad' ? 0 : SHOWN_MS });
}

type Box = Pick<DOMRect, 'left' | 'top' | 'right' | 'bottom'>;

/** Between two places that are tried. */
const STEP_PX = 8;
const CONTROLS =
  'button, a[href], input, select, textarea, summary, [role="button"], [role="option"], [role="menuitem"]';
/** Links taller than this are whole rows or cards, which fill a list. A toast may cover a part of one, but no button. */
const ROW_HEIGHT_PX = 56;
/** How soon a toast moves after the page scrolled or changed below it. */
const CHECK_MS = 250;

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

interface Control {
  readonly box: Box;
  /** A long form may leave no free place. Then a toast covers a field, which can be scrolled, rather than a button. */
  readonly weight: number;
}

const BUTTON_WEIGHT = 1_000;

/** The offset from the bottom at which a box covers the least of the controls; the lowest one if several cover nothing. */
function findFreePlace(box: Box, controls: readonly Control[]): number {
  let best = { up: 0, covered: Number.POSITIVE_INFINITY };
  for (let up = 0; box.top - up >= 0; up += STEP_PX) {
    const moved = { ...box, top: box.top - up, bottom: box.bottom - up };
    const covered = controls.reduce((sum, control) => sum + control.weight * overlap(moved, control.box), 0);
    if (covered < best.covered) best = { up, covered };
    if (covered === 0) break;
  }
  return best.up;
}

/** The visible controls outside the toasts. */
function listControls(toasts: Element): Control[] {
  return [...document.querySelectorAll(CONTROLS)]
    .filter((control) => !toasts.contains(control))
    .map((control) => ({
      isLink: control.tagName === 'A',
      weight: control.matches('input, select, textarea') ? 1 : BUTTON_WEIGHT,
      box: control.getBoundingClientRect(),
    }))
    .filter(({ isLink, box }) => !isLink || box.height < ROW_HEIGHT_PX)
    .filter(({ box: { width, height, top, bottom } }) => width * height > 0 && bottom > 0 && top < innerHeight);
}

/** Moves the toasts up while they would cover a button or another control. */
function useFreePlace(box: RefObject<HTMLElement | null>, shown: readonly unknown[]): void {
  const isEmpty = shown.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list of toasts has another height.
  useLayoutEffect(() => {
    if (isEmpty) return;
    let up = 0;
    const place = () => {
      const element = box.current;
      if (element === null || element.matches(':hover, :focus-within')) return;
      const { left, right, top, bottom } = element.getBoundingClientRect();
      up = findFreePlace({ left, right, top: top + up, bottom: bottom + up }, listControls(element));
      element.style.translate = `0 ${-up}px`;
    };
    if (box.current !== null) box.current.style.translate = '';
    place();
    const timer = setInterval(place, CHECK_MS);
    return () => clearInterval(timer);
  }, [box, isEmpty, shown]);
}

function Cards() {
  const { toasts } = Toast.useToastManager();
  const box = useRef<HTMLDivElement>(null);
  useFreePlace(box, toasts);
  useEffect(() => setReady(), []);
  return (
    <Toast.Viewport ref={box} className="toasts" aria-label={PARTS.toasts}>
      {toasts.map((toast) => (
        <Toast.Root key={toast.id} toast={toast} {...IS_MESSAGE} className={`line gap-8 toast toast-${toast.type}`}>
          <Toast.Title render={<p />} />
          <IconButton icon="close" label={PARTS.dismiss} onClick={() => manager.close(toast.id)} />
        </Toast.Root>
      ))}
    </Toast.Viewport>
  );
}

export const ToastList = () => (
  <Toast.Provider toastManager={manager} limit={MAX_TOASTS}>
    <Cards />
  </Toast.Provider>
);
