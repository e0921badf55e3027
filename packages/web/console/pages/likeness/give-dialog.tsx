import type { Likeness } from '@foreword/contract';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormProblem } from '../../parts/form-problem.tsx';
import { useAction } from '../../queries.ts';
import { PARTS } from '../../texts/common.ts';
import { LIKENESS } from '../../texts/likeness.ts';
import { ConsentText } from './text.tsx';

/** Shows the whole text before the member agrees. */
export function GiveDialog({ text, open, onClose }: Pick<Likeness, 'text'> & { open: boolean; onClose: () => void }) {
  const give = useAction({
    run: () => call('POST /home/likeness', { body: { version: text.version } }),
    topics: ['members'],
    showsFailure: true,
    done: LIKENESS.gave,
    onDone: onClose,
  });
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || give.isPending || onClose()}
      title={LIKENESS.giveTitle}
      actions={
        <>
          <Button kind="quiet" onClick={onClose}>
            {PARTS.cancel}
          </Button>
          <Button busy={give.isPending} onClick={() => give.mutate()}>
            {LIKENESS.giveAction}
          </Button>
        </>
      }
    >
      <div className="form">
        <ConsentText text={text} />
        <FormProblem error={give.error} fields={[]} />
      </div>
    </Dialog>
  );
}
