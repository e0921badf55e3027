import type { HomeEvent } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { AnchorButton, LinkButton } from '../../parts/link-button.tsx';
import { NEW_INTRO } from '../../texts/home.ts';
import { pathOf } from './tasks.tsx';

const LOOK_AGAIN_MS = 500;
/** It takes a fraction of a second, unless something is wrong with the service. */
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
  onChange: () => void;
}

function Outcome({ event, firstName, onChange }: OutcomeProps) {
  if (event.status === 'failed') {
    return (
      <>
        <h2>{NEW_INTRO.failedTitle}</h2>
        <p>{event.problem}</p>
        <Button onClick={onChange}>{NEW_INTRO.change}</Button>
      </>
    );
  }
  if (event.record_url === null) return <p>{NEW_INTRO.handedOver}</p>;
  return (
    <>
      <h2>{NEW_INTRO.readyTitle(firstName)}</h2>
      <p>{NEW_INTRO.ready}</p>
      <div className="new-ready">
        <AnchorButton icon="video" href={pathOf(event.record_url)}>
          {NEW_INTRO.record}
        </AnchorButton>
        <LinkButton to="/home" kind="plain">
          {NEW_INTRO.later}
        </LinkButton>
      </div>
    </>
  );
}

interface FollowingProps {
  begun: HomeEvent;
  firstName: string;
  /** Back to the form, with all that stood in it. */
  onChange: () => void;
}

/** After it was begun: until its intro is there, or it is known why there will be none. */
export function Following({ begun, firstName, onChange }: FollowingProps) {
  const room = useRef<HTMLDivElement>(null);
  const { id } = begun;
  const followed = useQuery({
    queryKey: ['intros', 'home', 'event', id],
    queryFn: ({ signal }) => call('GET /home/events/:id', { params: { id } }, signal),
    initialData: begun,
    refetchInterval: ({ state }) => (state.data?.status === 'accepted' ? LOOK_AGAIN_MS : false),
  });
  const isWaiting = followed.data.status === 'accepted';
  const isSlow = useIsSlow(isWaiting);
  // The form that had the focus is gone; what comes here is the answer to it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that what stands here changes.
  useEffect(() => room.current?.focus(), [isWaiting]);
  return (
    <div ref={room} className="state new-state" tabIndex={-1} aria-live="polite">
      {followed.isError && isWaiting ? (
        <ErrorState error={followed.error} retry={() => void followed.refetch()} busy={followed.isFetching} />
      ) : isWaiting ? (
        <>
          <span className="spinner" aria-hidden="true" />
          <h2>{NEW_INTRO.followingTitle}</h2>
          <p>{isSlow ? NEW_INTRO.slow : NEW_INTRO.following}</p>
        </>
      ) : (
        <Outcome event={followed.data} firstName={firstName} onChange={onChange} />
      )}
    </div>
  );
}
