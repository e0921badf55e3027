import { Suspense } from 'react';
import { loadWhenReachable } from '../api.ts';
import { lazyComponent } from '../lazy.ts';
import type { Message } from './toast-list.tsx';

// Not part of the first load: Base UI would be a tenth of it.
const load = () => import('./toast-list.tsx');
const ToastList = lazyComponent(load, 'ToastList');

/** Shows a short message without moving the focus. Replaces a toast with the same text. */
export function showToast(message: Message): void {
  void loadWhenReachable(load).then(({ addToast }) => addToast(message));
}

/** Always rendered: screen readers announce only changes inside an existing live region. */
export const Toasts = () => (
  <Suspense>
    <ToastList />
  </Suspense>
);
