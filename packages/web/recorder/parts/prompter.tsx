import { countWords, PACE, secondsToSay } from '@foreword/contract/plain';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CAMERA, PROMPTS, START } from '#recorder-texts';
import type { Equipment } from '../equipment.ts';
import { advance, findLine, type Line, readScript, type Script, scrollTop } from '../script.ts';
import { type Voice, VoiceActivity } from '../voice.ts';
import { Icon } from './icons.tsx';
import { eachFrame, prefersReducedMotion } from './motion.ts';

function measureLines(words: HTMLElement): Line[] {
  const lines: Line[] = [];
  for (const [index, child] of [...words.children].entries()) {
    if (!(child instanceof HTMLElement)) continue;
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.top - child.offsetTop) < line.height / 2) line.to = index + 1;
    else lines.push({ top: child.offsetTop, height: child.offsetHeight, from: index, to: index + 1 });
  }
  return lines;
}

function useLines(script: Script) {
  const words = useRef<HTMLParagraphElement>(null);
  const [lines, setLines] = useState<Line[]>([]);
  useLayoutEffect(() => {
    const { current } = words;
    if (current === null) return;
    const measure = () => setLines(measureLines(current));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [script]);
  return { words, lines };
}

/** Follows the member's voice while recording. */
function useVoice(equipment: Equipment | null, running: boolean): (nowMs: number) => Voice {
  const activity = useRef<VoiceActivity | null>(null);
  useEffect(() => {
    activity.current = null;
    if (!running || equipment === null) return;
    const voice = new VoiceActivity(performance.now());
    activity.current = voice;
    return equipment.meter.onLevel((level) => voice.hear(level, performance.now()));
  }, [running, equipment]);
  return useCallback((nowMs) => activity.current?.at(nowMs) ?? 'unknown', []);
}

/** After the last line everything counts as said. */
function classOf(word: number, line: Line | undefined): string {
  if (line === undefined || word < line.from) return 'said';
  return word < line.to ? 'now' : '';
}

interface PrompterProps {
  text: string;
  /** The script's language, which may differ from the screens'. */
  language: string | undefined;
  wordsPerMinute: number;
  /** Null while nothing is recorded that could be followed. */
  equipment: Equipment | null;
  running: boolean;
}

/** Scrolls the text past the lens while the member speaks, at the member's pace. With reduced motion it moves line by line. */
export function Prompter({ text, language, wordsPerMinute, equipment, running }: PrompterProps) {
  const script = useMemo(() => readScript(text), [text]);
  const { words, lines } = useLines(script);
  const [current, setCurrent] = useState(0);
  const share = useRef(0);
  const voiceAt = useVoice(equipment, running);

  useEffect(() => {
    if (!running) share.current = 0;
    const totalMs = secondsToSay(Math.max(1, countWords(text)), wordsPerMinute) * 1000;
    const place = (elapsedMs: number) => {
      share.current = advance(share.current, { elapsedMs, totalMs, voice: voiceAt(performance.now()) });
      const { index, within } = findLine(lines, script, share.current);
      const line = lines[index];
      setCurrent(index);
      if (line === undefined || words.current === null) return;
      const top = scrollTop(line, within, prefersReducedMotion());
      words.current.style.transform = `translateY(${-top}px)`;
      words.current.parentElement?.style.setProperty('--scrolled', `${top}px`);
    };
    place(0);
    let lastMs = 0;
    const placeAt = (nowMs: number) => {
      place(nowMs - lastMs);
      lastMs = nowMs;
    };
    return running ? eachFrame(placeAt) : undefined;
  }, [script, text, lines, running, wordsPerMinute, words, voiceAt]);

  return (
    <section class="prompter" aria-label={CAMERA.prompter}>
      <p class="sr" lang={language}>
        {text}
      </p>
      <div class="window" lang={language} aria-hidden="true">
        <p class="moving" ref={words}>
          {script.words.map((word, index) => (
            <span key={index} class={classOf(index, lines[current])}>
              {`${word} `}
            </span>
          ))}
        </p>
      </div>
    </section>
  );
}

export const PromptList = ({ firstName }: { firstName: string }) => (
  <section class="prompter prompts" aria-label={START.promptsTitle}>
    <ul>
      {PROMPTS(firstName).map((prompt) => (
        <li key={prompt}>{prompt}</li>
      ))}
    </ul>
  </section>
);

/** At an end, a button keeps the focus: without it, the space bar would start the recording. */
export const PaceControl = ({ wordsPerMinute, onStep }: { wordsPerMinute: number; onStep(step: number): void }) => (
  <fieldset class="pace">
    <legend class="sr">{CAMERA.paceTitle}</legend>
    <button
      type="button"
      aria-label={CAMERA.slower}
      aria-disabled={wordsPerMinute <= PACE.slowest}
      onClick={() => onStep(-PACE.step)}
    >
      <Icon name="minus" />
    </button>
    <output>
      <strong>{wordsPerMinute}</strong> {CAMERA.paceUnit}
    </output>
    <button
      type="button"
      aria-label={CAMERA.faster}
      aria-disabled={wordsPerMinute >= PACE.fastest}
      onClick={() => onStep(PACE.step)}
    >
      <Icon name="plus" />
    </button>
  </fieldset>
);
