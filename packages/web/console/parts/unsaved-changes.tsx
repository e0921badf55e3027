import { useBlocker } from '@tanstack/react-router';
import { PARTS } from '../texts/common.ts';
import { useUnsaved } from '../unsaved.ts';
import { Confirm } from './confirm.tsx';

/** Asks before the user leaves the page or closes the window with unsaved changes. */
export function UnsavedChanges({ when }: { when: boolean }) {
  useUnsaved(when);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: when,
    withResolver: true,
  });
  return (
    <Confirm
      open={status === 'blocked'}
      onOpenChange={(open) => open || reset?.()}
      title={PARTS.unsavedTitle}
      action={PARTS.unsavedLeave}
      cancel={PARTS.unsavedStay}
      danger
      onConfirm={() => proceed?.()}
    >
      {PARTS.unsavedBody}
    </Confirm>
  );
}
