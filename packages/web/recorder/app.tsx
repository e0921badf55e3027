import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RecordingFlow } from './flow.ts';
import type { Model } from './model.ts';
import { EarlierTakes } from './parts/earlier.tsx';
import type { Recorder } from './recorder.ts';
import { CameraScreen } from './screens/camera.tsx';
import { ClosedScreen } from './screens/closed.tsx';
import { DeclinedScreen } from './screens/declined.tsx';
import { DoneScreen } from './screens/done.tsx';
import { ProblemScreen } from './screens/problem.tsx';
import { RefusedScreen } from './screens/refused.tsx';
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

interface ScreenProps {
  recorder: Recorder;
  flow: RecordingFlow;
  model: Model;
}

function Screen({ recorder, flow, model }: ScreenProps) {
  const { phase } = model;
  switch (phase.at) {
    case 'start':
    case 'opening':
      return <StartScreen flow={flow} model={model} />;
    case 'problem':
      return <ProblemScreen flow={flow} model={model} problem={phase} />;
    case 'camera':
    case 'countdown':
    case 'recording':
    case 'saving':
      return <CameraScreen recorder={recorder} flow={flow} model={model} phase={phase} />;
    case 'review':
      return <ReviewScreen flow={flow} model={model} take={phase.take} />;
    case 'sending':
    case 'processing':
      return <SendingScreen recorder={recorder} model={model} />;
    case 'refused':
      return <RefusedScreen flow={flow} model={model} refused={phase} />;
    case 'done':
      return <DoneScreen recorder={recorder} flow={flow} model={model} />;
    case 'closed':
      return <ClosedScreen recorder={recorder} model={model} closed={phase} />;
    case 'declined':
      return <DeclinedScreen recorder={recorder} flow={flow} model={model} />;
    case 'unable':
      return <UnableScreen key={phase.step} flow={flow} model={model} unable={phase} />;
  }
}
