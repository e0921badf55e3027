import type { HomeEvent } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { AnchorButton, Button, LinkButton } from '../../parts/button.tsx';
import { ErrorState } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { pathOf } from './tasks.tsx';
import { NEW_INTRO } from './texts.ts';

const POLL_MS = 500;
/** Processing normally takes a fraction of a second. */
const SLOW_MS = 10_000;

function useIsSlow(isWaiting: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = isWaiting ? setTimeout(() => setSlow(true), SLOW_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isWaiting]);
  return slow && isWaiting;
}

interface OutcomeProps {
  event: HomeEvent;
  firstName: string;
  /** Someone else who records it. */
  recorder: string | null;
  onChange: () => void;
}

function Outcome({ event, firstName, recorder, onChange }: OutcomeProps) {
  if (event.status === 'failed') {
    return (
      <>
        <h2>{NEW_INTRO.failedTitle}</h2>
        <p>{event.problem}</p>
        <Button onClick={onChange} label={NEW_INTRO.change} />
      </>
    );
  }
  if (event.record_url === null) {
    return (
      <>
        <h2>{recorder === null ? NEW_INTRO.handedOver : NEW_INTRO.asked(recorder)}</h2>
        {event.intro_id !== null && (
          <LinkButton to="/intros/$id" params={{ id: event.intro_id }} label={NEW_INTRO.open} />
        )}
      </>
    );
  }
  return (
    <>
      <h2>{NEW_INTRO.readyTitle(firstName)}</h2>
      <p>{NEW_INTRO.ready}</p>
      <div className="grid gap-8">
        <AnchorButton icon="video" href={pathOf(event.record_url)} label={NEW_INTRO.record} />
        <LinkButton to="/home" kind="plain" label={NEW_INTRO.later} />
      </div>
    </>
  );
}

interface ProgressProps extends Pick<OutcomeProps, 'firstName' | 'recorder'> {
  started: HomeEvent;
  /** Returns to the form with everything that was typed. */
  onChange: () => void;
}

/** Opens the recorder once the intro is ready to record, or shows why it could not be created. */
export function Progress({ started, firstName, recorder, onChange }: ProgressProps) {
  const container = useRef<HTMLDivElement>(null);
  const { id } = started;
  const event = useQuery({
    ...load(['intros', 'home', 'event', id], 'GET /home/events/{id}', { params: { id } }),
    initialData: started,
    refetchInterval: ({ state }) => (state.data?.status === 'accepted' ? POLL_MS : false),
  });
  const isWaiting = event.data.status === 'accepted';
  const isSlow = useIsSlow(isWaiting);
  const recordUrl = event.data.record_url;
  // Replaces the form, so that Back leads from the recorder to the start page.
  useEffect(() => {
    if (recordUrl !== null) window.location.replace(pathOf(recordUrl));
  }, [recordUrl]);
  // The form that had the focus is gone, so the result takes it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus again when the result replaces the progress.
  useEffect(() => container.current?.focus(), [isWaiting]);
  return (
    <div ref={container} className="state" tabIndex={-1} aria-live="polite">
      {event.isError && isWaiting ? (
        <ErrorState error={event.error} retry={() => void event.refetch()} busy={event.isFetching} />
      ) : isWaiting ? (
        <>
          <span className="spinner" aria-hidden="true" />
          <h2>{NEW_INTRO.progressTitle}</h2>
          <p>{isSlow ? NEW_INTRO.slow : NEW_INTRO.progress}</p>
        </>
      ) : (
        <Outcome event={event.data} firstName={firstName} recorder={recorder} onChange={onChange} />
      )}
    </div>
  );
}
