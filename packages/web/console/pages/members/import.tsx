import type { ConsoleResponse, ImportPreview } from '@foreword/contract';
import { useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { ApiFailure } from '../../failure.ts';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { UnsavedChanges } from '../../parts/unsaved-changes.tsx';
import { IMPORT, MEMBERS } from '../../texts/members.ts';
import { ImportPreviewStep } from './import-preview.tsx';
import { ImportText } from './import-text.tsx';

type Done = ConsoleResponse<'POST /members/import'>;

/** Three steps: file contents, review, result. Nothing is saved before the user confirms the review. */
export function MembersImportPage() {
  const [text, setText] = useState('');
  const [preview, setPreview] = useState<ImportPreview | null>(null);
  const [isOutdated, setOutdated] = useState(false);
  const [done, setDone] = useState<Done | null>(null);
  const review = useAction({
    run: () => call('POST /members/import/preview', { body: { text } }),
    showsFailure: true,
    onDone: setPreview,
  });
  const save = useAction({
    run: (skip_problems: boolean) =>
      call('POST /members/import', { body: { text, fingerprint: preview?.fingerprint ?? '', skip_problems } }),
    topics: ['members'],
    showsFailure: true,
    onDone: setDone,
  });
  const back = () => {
    setPreview(null);
    setOutdated(false);
    save.reset();
  };
  async function confirm(skipProblems: boolean): Promise<void> {
    try {
      await save.mutateAsync(skipProblems);
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'edit_conflict') return;
      setOutdated(true);
      save.reset();
      review.mutate();
    }
  }
  const again = () => {
    setText('');
    setDone(null);
    back();
    review.reset();
  };
  return (
    <>
      <PageHeader title={IMPORT.title} lead={IMPORT.lead} back={{ to: '/members', name: MEMBERS.title }} />
      {done !== null ? (
        <ImportDone done={done} again={again} />
      ) : preview === null ? (
        <ImportText
          text={text}
          onChange={setText}
          onReview={() => review.mutate()}
          busy={review.isPending}
          error={review.error}
        />
      ) : (
        <ImportPreviewStep
          key={preview.fingerprint}
          preview={preview}
          isOutdated={isOutdated}
          busy={save.isPending || review.isPending}
          error={save.error ?? review.error}
          onBack={back}
          onConfirm={(skip) => void confirm(skip)}
        />
      )}
      <UnsavedChanges when={text !== '' && done === null} />
    </>
  );
}

const ImportDone = ({ done, again }: { done: Done; again: () => void }) => (
  <div role="status">
    <EmptyState
      icon="check"
      title={IMPORT.doneTitle}
      action={
        <div className="form-actions">
          <Button kind="quiet" onClick={again}>
            {IMPORT.another}
          </Button>
          <LinkButton to="/members">{IMPORT.toMembers}</LinkButton>
        </div>
      }
    >
      {IMPORT.done(done)}
    </EmptyState>
  </div>
);
