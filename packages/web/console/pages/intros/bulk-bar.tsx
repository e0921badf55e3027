import type { BulkAction, ConsoleIntroRow } from '@foreword/contract';
import { Button, IconButton } from '../../parts/button.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { BULK } from '../../texts/intros-bulk.ts';
import type { Selection } from './use-selection.ts';

const ICONS: Record<BulkAction, IconName> = { remind: 'clock', reassign: 'people', cancel: 'close' };
const ACTIONS: readonly BulkAction[] = ['remind', 'reassign', 'cancel'];

/** The statuses in which the server allows the action. */
const POSSIBLE: Record<BulkAction, readonly ConsoleIntroRow['status'][]> = {
  remind: ['requested'],
  reassign: ['requested'],
  cancel: ['requested', 'ready'],
};

interface BulkBarProps {
  selection: Selection<ConsoleIntroRow>;
  /** The number of rows in the list. */
  listed: number;
  /** Called with the selected intros for which the action is possible. */
  onAction: (action: BulkAction, ids: readonly string[]) => void;
}

/** Actions on the selected intros: in place of the status tabs, or at the bottom of a phone. */
export function BulkBar({ selection, listed, onAction }: BulkBarProps) {
  const { rows } = selection;
  const idsFor = (action: BulkAction) =>
    rows.filter(({ status }) => POSSIBLE[action].includes(status)).map(({ id }) => id);
  return (
    <section className="bulk-bar" aria-label={BULK.title}>
      <span className="bulk-count" role="status">
        {rows.length}
        <span className="bulk-word">{BULK.selected}</span>
      </span>
      {ACTIONS.map((action) => (
        <Button
          key={action}
          kind="quiet"
          small
          icon={ICONS[action]}
          disabled={idsFor(action).length === 0}
          onClick={() => onAction(action, idsFor(action))}
        >
          {BULK.actions[action]}
        </Button>
      ))}
      {rows.length < listed && (
        <Button kind="plain" small className="bulk-all" onClick={selection.selectAll}>
          {BULK.selectAll(listed)}
        </Button>
      )}
      <IconButton icon="close" label={BULK.clear} onClick={selection.clear} />
    </section>
  );
}
