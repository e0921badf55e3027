import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Model } from './model.ts';
import { CameraScreen } from './screens/camera.tsx';
import { ClosedScreen } from './screens/closed.tsx';
import { DoneScreen } from './screens/done.tsx';
import { RefusedScreen } from './screens/refused.tsx';
import { ReviewScreen } from './screens/review.tsx';
import { RoomScreen } from './screens/room.tsx';
import { SendingScreen } from './screens/sending.tsx';
import { TroubleScreen } from './screens/trouble.tsx';
import type { Session } from './session.ts';

/** Where one looks does not change while these follow each other. */
const SAME_VIEW: Partial<Record<Model['phase']['at'], string>> = {
  opening: 'room',
  countdown: 'camera',
  recording: 'camera',
  saving: 'camera',
  processing: 'sending',
};

function useModel(session: Session): Model {
  const [model, setModel] = useState(session.model);
  useLayoutEffect(() => {
    session.onChange(() => setModel(session.model));
    setModel(session.model);
  }, [session]);
  return model;
}

/** A new view is read from its heading on, by those who listen to it; before the camera the focus is on the shutter. */
function useHeadingFocus(view: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) {
      const begin = document.querySelector<HTMLElement>('[data-focus]') ?? document.querySelector<HTMLElement>('h1');
      begin?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    first.current = false;
  }, [view]);
}

export function App({ session }: { session: Session }) {
  const model = useModel(session);
  useHeadingFocus(SAME_VIEW[model.phase.at] ?? model.phase.at);
  return <Screen session={session} model={model} />;
}

function Screen({ session, model }: { session: Session; model: Model }) {
  const { phase } = model;
  switch (phase.at) {
    case 'room':
    case 'opening':
      return <RoomScreen session={session} model={model} />;
    case 'trouble':
      return <TroubleScreen session={session} model={model} trouble={phase} />;
    case 'camera':
    case 'countdown':
    case 'recording':
    case 'saving':
      return <CameraScreen session={session} model={model} phase={phase} />;
    case 'review':
      return <ReviewScreen session={session} model={model} take={phase.take} />;
    case 'sending':
    case 'processing':
      return <SendingScreen model={model} />;
    case 'refused':
      return <RefusedScreen session={session} model={model} refused={phase} />;
    case 'done':
      return <DoneScreen session={session} model={model} />;
    case 'closed':
      return <ClosedScreen model={model} closed={phase} />;
  }
}
