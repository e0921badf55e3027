import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyField } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useUnsaved } from '../../unsaved.ts';

interface SecretDialogProps {
  title: string;
  lead: string;
  label: string;
  /** Null closes the dialog. */
  secret: string | null;
  done: string;
  onDone: () => void;
  /** An additional action. */
  more?: ReactNode;
}

/** Shows a secret once. Only its button closes it, so that the secret is not lost by accident. */
export function SecretDialog({ title, lead, label, secret, done, onDone, more }: SecretDialogProps) {
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
