import { readFile } from 'node:fs/promises';
import { ALL_FORMATS, FilePathSource, Input } from 'mediabunny';
import { boxTypes } from './mp4-boxes.ts';

export interface Probed {
  readonly width: number;
  readonly height: number;
  readonly rotation: number;
  readonly codec: string | null;
  readonly durationS: number;
  readonly framesPerSecond: number;
  readonly sound: { codec: string | null; rate: number; channels: number; durationS: number } | null;
  /** The order of the outermost boxes: a player that streams wants `moov` before `mdat`. */
  readonly boxes: readonly string[];
  readonly tags: readonly string[];
}

/** Reads the file with a library other than the one that wrote it. */
export async function probe(path: string): Promise<Probed> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  if (video === null) throw new Error(`${path} has no video track`);
  const { averagePacketRate } = await video.computePacketStats();
  const { raw, ...tags } = await input.getMetadataTags();
  return {
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
    rotation: await video.getRotation(),
    codec: await video.getCodecParameterString(),
    durationS: await video.computeDuration(),
    framesPerSecond: averagePacketRate,
    sound:
      audio === null
        ? null
        : {
            codec: await audio.getCodecParameterString(),
            rate: await audio.getSampleRate(),
            channels: await audio.getNumberOfChannels(),
            durationS: await audio.computeDuration(),
          },
    boxes: boxTypes(await readFile(path)),
    tags: [...Object.keys(raw ?? {}), ...Object.keys(tags)],
  };
}

/** Width and height from the JPEG header. */
export async function jpegSize(path: string): Promise<{ width: number; height: number }> {
  const bytes = await readFile(path);
  for (let at = 2; at < bytes.length; ) {
    const marker = bytes.readUInt16BE(at);
    if (marker === 0xffc0 || marker === 0xffc2) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  throw new Error(`${path} is not a JPEG`);
}
