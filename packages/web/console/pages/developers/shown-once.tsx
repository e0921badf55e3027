import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useUnsaved } from '../../unsaved.ts';

interface ShownOnceProps {
  title: string;
  lead: string;
  /** What it is. */
  label: string;
  /** Null: nothing is shown. */
  secret: string | null;
  done: string;
  onDone: () => void;
  /** Another way on. */
  more?: ReactNode;
}

/** Something that is never shown again: it goes away only when its reader says so. */
export function ShownOnce({ title, lead, label, secret, done, onDone, more }: ShownOnceProps) {
  useUnsaved(secret !== null);
  return (
    <Dialog
      open={secret !== null}
      title={title}
      lead={lead}
      actions={
        <>
          {more}
          <Button onClick={onDone}>{done}</Button>
        </>
      }
    >
      <CopyField label={label} text={secret ?? ''} />
    </Dialog>
  );
}
