import { Toast } from '@base-ui/react/toast';
import { useEffect, useRef } from 'react';
import { PARTS } from '../texts.ts';
import { IconButton } from './button.tsx';
import { useFreePlace } from './toast-place.ts';

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

function Cards() {
  const { toasts } = Toast.useToastManager();
  const box = useRef<HTMLDivElement>(null);
  useFreePlace(box, toasts);
  useEffect(() => setReady(), []);
  return (
    <Toast.Viewport ref={box} className="toasts" aria-label={PARTS.toasts}>
      {toasts.map((toast) => (
        <Toast.Root key={toast.id} toast={toast} {...IS_MESSAGE} className={`toast toast-${toast.type}`}>
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
