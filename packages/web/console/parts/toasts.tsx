import { useEffect, useState } from 'react';
import { PARTS } from '../texts/common.ts';
import { Button, IconButton } from './button.tsx';
import { dismissToast, type Toast, useToasts } from './toast-store.ts';

/** Time to read it, and to reach its button. A failure stays until it is dismissed. */
const SHOWN_MS = 7_000;

function ToastCard({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  const { id, kind, text, action } = toast;
  useEffect(() => {
    if (held || kind === 'bad') return;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, id, kind]);
  const act = () => {
    dismissToast(id);
    action?.run();
  };
  return (
    <li
      className={`toast toast-${kind}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>{text}</p>
      {action !== undefined && (
        <Button kind="plain" small onClick={act}>
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label={PARTS.dismiss} onClick={() => dismissToast(id)} />
    </li>
  );
}

/** Stands once in the frame, always, so that what comes into it is read out. */
export const Toasts = () => (
  <div className="toasts" aria-live="polite">
    <ul>
      {useToasts().map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </ul>
  </div>
);
