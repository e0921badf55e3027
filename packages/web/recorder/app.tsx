import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RecordingFlow } from './flow.ts';
import type { Model } from './model.ts';
import { EarlierTakes } from './parts/other-intros.tsx';
import type { ScreenProps } from './parts/page.tsx';
import type { Recorder } from './recorder.ts';
import { CameraScreen } from './screens/camera.tsx';
import { ClosedScreen, DeclinedScreen } from './screens/closed.tsx';
import { DoneScreen } from './screens/done.tsx';
import { ProblemScreen, RefusedScreen } from './screens/problem.tsx';
import { ReviewScreen } from './screens/review.tsx';
import { SendingScreen } from './screens/sending.tsx';
import { StartScreen } from './screens/start.tsx';
import { UnableScreen } from './screens/unable.tsx';

/** Phases that share a view: the focus does not move between them. */
const SAME_VIEW: Partial<Record<Model['phase']['at'], string>> = {
  opening: 'start',
  countdown: 'camera',
  recording: 'camera',
  saving: 'camera',
  processing: 'sending',
};

/** Renders again when the recorder changes, and returns the intro in front. */
function useFront(recorder: Recorder): { flow: RecordingFlow; model: Model } {
  const read = () => ({ flow: recorder.view.flow, model: recorder.view.flow.model });
  const [front, setFront] = useState(read);
  useLayoutEffect(() => {
    recorder.onChange(() => setFront(read()));
    setFront(read());
  }, [recorder]);
  return front;
}

/** Moves the focus to a new view's heading for screen readers; in the camera view, to the shutter. */
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

const CAMERA_VIEW = 'camera';

const viewOf = (phase: Model['phase']): string =>
  phase.at === 'unable' ? `unable ${phase.step}` : (SAME_VIEW[phase.at] ?? phase.at);

export function App({ recorder }: { recorder: Recorder }) {
  const { flow, model } = useFront(recorder);
  const view = viewOf(model.phase);
  useHeadingFocus(`${flow.api} ${view}`);
  return (
    <>
      {view !== CAMERA_VIEW && <EarlierTakes recorder={recorder} />}
      <Screen key={flow.api} recorder={recorder} flow={flow} model={model} />
    </>
  );
}

function Screen(props: ScreenProps) {
  const { phase } = props.model;
  switch (phase.at) {
    case 'start':
    case 'opening':
      return <StartScreen {...props} />;
    case 'problem':
      return <ProblemScreen {...props} problem={phase} />;
    case 'camera':
    case 'countdown':
    case 'recording':
    case 'saving':
      return <CameraScreen {...props} phase={phase} />;
    case 'review':
      return <ReviewScreen {...props} take={phase.take} />;
    case 'sending':
    case 'processing':
      return <SendingScreen {...props} />;
    case 'refused':
      return <RefusedScreen {...props} refused={phase} />;
    case 'done':
      return <DoneScreen {...props} />;
    case 'closed':
      return <ClosedScreen {...props} closed={phase} />;
    case 'declined':
      return <DeclinedScreen {...props} />;
    case 'unable':
      return <UnableScreen key={phase.step} {...props} unable={phase} />;
  }
}
