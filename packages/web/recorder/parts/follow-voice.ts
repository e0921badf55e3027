import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Equipment } from '../equipment.ts';
import type { Moment, Script } from '../script.ts';
import { comparableWords, countSaid, VoiceActivity } from '../voice.ts';

/** The parts of the Web Speech API that are used. TypeScript has no types of on-device recognition. */
interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally: boolean;
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null;
  onend: (() => void) | null;
  start(track: MediaStreamTrack): void;
  abort(): void;
}

interface RecognitionClass {
  new (): Recognition;
  prototype: Recognition;
  available?(options: { langs: string[]; processLocally: true }): Promise<string>;
}

/** Browsers end recognition after a long pause. It is restarted this many times. */
const MAX_STARTS = 5;
/** More words than are compared with the script. */
const LAST_WORDS = 6;

function recognitionClass(): RecognitionClass | null {
  const names = window as { SpeechRecognition?: RecognitionClass; webkitSpeechRecognition?: RecognitionClass };
  const found = names.SpeechRecognition ?? names.webkitSpeechRecognition;
  // Browsers without these ignore `processLocally` and send the sound to their maker.
  return found?.available !== undefined && 'processLocally' in found.prototype ? found : null;
}

/** The language of the script, as the browser's user speaks it: "en" becomes "en-US". */
const spokenLanguage = (script: string): string =>
  navigator.languages.find((tag) => tag.startsWith(`${script}-`)) ?? script;

/** The language that this device recognizes without sending sound anywhere and without downloading anything, or null. */
async function findLocalLanguage(scriptLanguage: string): Promise<string | null> {
  const language = spokenLanguage(scriptLanguage);
  const status = await recognitionClass()
    ?.available?.({ langs: [language], processLocally: true })
    .catch(() => 'unavailable');
  return status === 'available' ? language : null;
}

/** Reports the last words heard, even before the browser is sure of them. Returns a function that stops it. */
function recognizeLocally(track: MediaStreamTrack, language: string, onWords: (text: string) => void): () => void {
  const Recognition = recognitionClass();
  if (Recognition === null) return () => {};
  const recognition = new Recognition();
  recognition.lang = language;
  recognition.continuous = true;
  recognition.interimResults = true;
  recognition.processLocally = true;
  let lastWords = '';
  recognition.onresult = ({ results }) => {
    const said = Array.from(results, (result) => result[0]?.transcript ?? '').join(' ');
    const words = said.trim().split(/\s+/).slice(-LAST_WORDS).join(' ');
    if (words !== lastWords) onWords(words);
    lastWords = words;
  };
  let startsLeft = MAX_STARTS;
  const start = (): void => {
    if (startsLeft === 0) return;
    startsLeft -= 1;
    try {
      recognition.start(track);
    } catch {
      // The level of the microphone is enough to follow the voice.
      startsLeft = 0;
    }
  };
  recognition.onend = start;
  start();
  return () => {
    startsLeft = 0;
    recognition.abort();
  };
}

type Followed = Pick<Moment, 'voice' | 'heardShare'>;

/** Looked up before the recording, which must not wait for it. */
function useLocalLanguage(scriptLanguage: string): string | null {
  const [language, setLanguage] = useState<string | null>(null);
  useEffect(() => void findLocalLanguage(scriptLanguage).then(setLanguage), [scriptLanguage]);
  return language;
}

/** Follows the member's voice while recording: by words where this device recognizes them itself, otherwise by loudness. */
export function useVoice(equipment: Equipment | null, script: Script, running: boolean): (nowMs: number) => Followed {
  const language = useLocalLanguage(script.language);
  const words = useMemo(() => script.words.map((word) => comparableWords(word).join('')), [script]);
  const activity = useRef<VoiceActivity | null>(null);
  const heardShare = useRef<number | null>(null);

  useEffect(() => {
    activity.current = null;
    heardShare.current = null;
    if (!running || equipment === null) return;
    const voice = new VoiceActivity(performance.now());
    activity.current = voice;
    return equipment.meter.onLevel((level) => voice.hear(level, performance.now()));
  }, [running, equipment]);

  useEffect(() => {
    const track = equipment?.camera.stream.getAudioTracks()[0];
    if (!running || track === undefined || language === null) return;
    let said = 0;
    return recognizeLocally(track, language, (text) => {
      said = countSaid(words, said, comparableWords(text));
      if (said > 0) heardShare.current = script.begins[said] ?? 1;
    });
  }, [running, equipment, language, words, script]);

  return useCallback(
    (nowMs) => ({ voice: activity.current?.at(nowMs) ?? 'unknown', heardShare: heardShare.current }),
    [],
  );
}
