import type { HomeEvent } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { pathOf } from './tasks.tsx';

const POLL_MS = 500;

interface OutcomeProps {
  event: HomeEvent;
  /** Someone else who records it. */
  recorder: string | null;
  /** Returns to the form with everything that was typed. */
  onChange: () => void;
}

function Outcome({ event, recorder, onChange }: OutcomeProps) {
  if (event.status === 'failed') {
    return (
      <>
        <h2>The intro could not be started</h2>
        <p>{event.problem}</p>
        <Button onClick={onChange} label="Edit" />
      </>
    );
  }
  return (
    <>
      <h2>
        {recorder === null
          ? 'This intro was reassigned to another team member'
          : `${recorder} will be asked to record it`}
      </h2>
      {event.intro_id !== null && <LinkButton to="/intros/$id" params={{ id: event.intro_id }} label="Open intro" />}
    </>
  );
}

interface ProgressProps extends Omit<OutcomeProps, 'event'> {
  started: HomeEvent;
}

/** Opens the recorder once the intro is ready to record, or shows why it could not be created. */
export function Progress({ started, recorder, onChange }: ProgressProps) {
  const container = useRef<HTMLDivElement>(null);
  const { id } = started;
  const event = useQuery({
    ...load(['intros', 'home', 'event', id], 'GET /home/events/{id}', { params: { id } }),
    initialData: started,
    refetchInterval: ({ state }) => (state.data?.status === 'accepted' ? POLL_MS : false),
  });
  const recordUrl = event.data.record_url;
  // Stays visible until the recorder has replaced this page.
  const isWaiting = event.data.status === 'accepted' || recordUrl !== null;
  // Replaces the form, so that Back leads from the recorder to the start page.
  useEffect(() => {
    if (recordUrl !== null) window.location.replace(pathOf(recordUrl));
  }, [recordUrl]);
  // The form that had the focus is gone, so the result takes it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus again when the result replaces the progress.
  useEffect(() => container.current?.focus(), [isWaiting]);
  return (
    <div ref={container} className="grid gap-12 state" tabIndex={-1} aria-live="polite">
      {event.isError && isWaiting ? (
        <ErrorState error={event.error} retry={() => void event.refetch()} busy={event.isFetching} />
      ) : isWaiting ? (
        <>
          <span className="spinner" aria-hidden="true" />
          <h2>One moment</h2>
          <p>Writing the script. The intro is created even if you leave this page.</p>
        </>
      ) : (
        <Outcome event={event.data} recorder={recorder} onChange={onChange} />
      )}
    </div>
  );
}
