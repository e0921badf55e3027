import { useSyncExternalStore } from 'react';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}

const MAX_TOASTS = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Shows a short message without moving the focus. `action` may offer to undo. */
export function showToast({
  kind = 'good',
  ...rest
}: {
  kind?: Toast['kind'];
  text: string;
  action?: Toast['action'];
}): void {
  lastId += 1;
  change([...toasts, { id: lastId, kind, ...rest }].slice(-MAX_TOASTS));
}

export const dismissToast = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, () => toasts);
