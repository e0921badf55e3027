import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Equipment } from '../equipment.ts';
import type { Moment } from '../position.ts';
import { findLocalLanguage, recognizeLocally } from '../recognition.ts';
import type { Script } from '../script.ts';
import { VoiceActivity } from '../voice.ts';
import { comparableWords, countSaid } from '../words-heard.ts';

export type Followed = Pick<Moment, 'voice' | 'heardShare'>;

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
