import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RecordingFlow } from './flow.ts';
import type { Model } from './model.ts';
import { CameraScreen } from './screens/camera.tsx';
import { ClosedScreen } from './screens/closed.tsx';
import { DoneScreen } from './screens/done.tsx';
import { ProblemScreen } from './screens/problem.tsx';
import { RefusedScreen } from './screens/refused.tsx';
import { ReviewScreen } from './screens/review.tsx';
import { SendingScreen } from './screens/sending.tsx';
import { StartScreen } from './screens/start.tsx';

/** Phases that share a view: the focus does not move between them. */
const SAME_VIEW: Partial<Record<Model['phase']['at'], string>> = {
  opening: 'start',
  countdown: 'camera',
  recording: 'camera',
  saving: 'camera',
  processing: 'sending',
};

function useModel(flow: RecordingFlow): Model {
  const [model, setModel] = useState(flow.model);
  useLayoutEffect(() => {
    flow.onChange(() => setModel(flow.model));
    setModel(flow.model);
  }, [flow]);
  return model;
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

export function App({ flow }: { flow: RecordingFlow }) {
  const model = useModel(flow);
  useHeadingFocus(SAME_VIEW[model.phase.at] ?? model.phase.at);
  return <Screen flow={flow} model={model} />;
}

function Screen({ flow, model }: { flow: RecordingFlow; model: Model }) {
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
      return <CameraScreen flow={flow} model={model} phase={phase} />;
    case 'review':
      return <ReviewScreen flow={flow} model={model} take={phase.take} />;
    case 'sending':
    case 'processing':
      return <SendingScreen model={model} />;
    case 'refused':
      return <RefusedScreen flow={flow} model={model} refused={phase} />;
    case 'done':
      return <DoneScreen flow={flow} model={model} />;
    case 'closed':
      return <ClosedScreen model={model} closed={phase} />;
  }
}
