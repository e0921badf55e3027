import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { PARTS } from '../texts.ts';
import { IconButton } from './button.tsx';
import { useFreePlace } from './toast-place.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'good' | 'bad';
}

const MAX_TOASTS = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a short message without moving the focus. Replaces a toast with the same text. */
export function showToast({ kind = 'good', text }: { kind?: Toast['kind']; text: string }): void {
  lastId += 1;
  const others = toasts.filter((toast) => toast.kind !== kind || toast.text !== text);
  change([...others, { id: lastId, kind, text }].slice(-MAX_TOASTS));
}

const dismissToast = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts);

/** Long enough to read the toast and reach its button. Failures stay until dismissed. */
const SHOWN_MS = 7_000;

function ToastCard({ toast }: { toast: Toast }) {
  const [isPaused, setPaused] = useState(false);
  const { id, kind, text } = toast;
  useEffect(() => {
    if (isPaused || kind === 'bad') return;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isPaused, id, kind]);
  return (
    <li
      className={`toast toast-${kind}`}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <p>{text}</p>
      <IconButton icon="close" label={PARTS.dismiss} onClick={() => dismissToast(id)} />
    </li>
  );
}

/** Always rendered: screen readers announce only changes inside an existing live region. */
export function Toasts() {
  const shown = useToasts();
  const box = useRef<HTMLDivElement>(null);
  useFreePlace(box, shown);
  return (
    <div ref={box} className="toasts" aria-live="polite">
      <ul>
        {shown.map((toast) => (
          <ToastCard key={toast.id} toast={toast} />
        ))}
      </ul>
    </div>
  );
}
