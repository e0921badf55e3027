import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { countBegun, PACE, readScript, type Script, secondsToSay } from '../script.ts';
import { CAMERA, PROMPTS, START } from '../texts.ts';
import { Icon } from './icons.tsx';
import { eachFrame, prefersReducedMotion } from './motion.ts';

interface Line {
  top: number;
  height: number;
  /** Index of its first word, and the index after its last word. */
  from: number;
  to: number;
}

/** Lines shown above the current line, so that it is still visible when its last word is said. */
const LINES_ABOVE = 1.2;

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

/** The line at a share of the script, and the progress within that line. */
function findLine(lines: Line[], script: Script, share: number): { index: number; within: number } {
  const word = Math.max(0, countBegun(script, share) - 1);
  const index = lines.findIndex(({ to }) => word < to);
  const line = lines[index];
  if (line === undefined) return { index: lines.length, within: 0 };
  const begin = script.begins[line.from] ?? 0;
  const end = script.begins[line.to] ?? 1;
  return { index, within: Math.min(1, (share - begin) / (end - begin)) };
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

/** After the last line everything counts as said. */
function classOf(word: number, line: Line | undefined): string {
  if (line === undefined || word < line.from) return 'said';
  return word < line.to ? 'now' : '';
}

interface PrompterProps {
  text: string;
  wordsPerMinute: number;
  running: boolean;
}

/** Scrolls the text past the lens at the member's pace. With reduced motion it moves line by line. */
export function Prompter({ text, wordsPerMinute, running }: PrompterProps) {
  const script = useMemo(() => readScript(text), [text]);
  const { words, lines } = useLines(script);
  const [current, setCurrent] = useState(0);
  const share = useRef(0);

  useEffect(() => {
    if (!running) share.current = 0;
    const from = share.current;
    const totalMs = secondsToSay(script.words.length, wordsPerMinute) * 1000;
    const place = (elapsedMs: number) => {
      share.current = Math.min(1, from + elapsedMs / totalMs);
      const { index, within } = findLine(lines, script, share.current);
      const line = lines[index];
      setCurrent(index);
      if (line === undefined || words.current === null) return;
      const through = prefersReducedMotion() ? 0 : within;
      const shift = Math.max(0, line.top + (through - LINES_ABOVE) * line.height);
      words.current.style.transform = `translateY(${-shift}px)`;
    };
    place(0);
    return running ? eachFrame(place) : undefined;
  }, [script, lines, running, wordsPerMinute, words]);

  return (
    <section class="prompter" aria-label={CAMERA.prompter}>
      <p class="sr">{text}</p>
      <div class="window" aria-hidden="true">
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

export function PromptList({ firstName }: { firstName: string }) {
  return (
    <section class="prompter prompts" aria-label={START.promptsTitle}>
      <ul>
        {PROMPTS(firstName).map((prompt) => (
          <li key={prompt}>{prompt}</li>
        ))}
      </ul>
    </section>
  );
}

interface PaceProps {
  wordsPerMinute: number;
  onStep(step: number): void;
}

export function PaceControl({ wordsPerMinute, onStep }: PaceProps) {
  return (
    <fieldset class="pace">
      <legend class="sr">{CAMERA.paceTitle}</legend>
      <button
        type="button"
        aria-label={CAMERA.slower}
        disabled={wordsPerMinute <= PACE.slowest}
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
        disabled={wordsPerMinute >= PACE.fastest}
        onClick={() => onStep(PACE.step)}
      >
        <Icon name="plus" />
      </button>
    </fieldset>
  );
}
