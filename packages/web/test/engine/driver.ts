/** The functions of the page under test, without browser types, so that both sides can import them. */
export interface TakeDetails {
  id: string;
  bytes: number;
  type: string;
  durationMs: number;
  findings: string[];
  complete: boolean;
  levels: number[];
  trim: { startMs: number; endMs: number } | null;
  captions: string | null;
}

export interface ProgressEntry {
  state: string;
  sentBytes: number;
  totalBytes: number | null;
  problem?: string;
  isServerFull?: boolean;
  closed?: string;
}

export interface Driver {
  /** The problem when opening the camera; null if it opens. */
  cameraProblem(): Promise<string | null>;
  openCamera(): Promise<{ type: string | null; width: number; height: number; hasSound: boolean; canFlip: boolean }>;
  flip(): Promise<{ facing: string; liveTracks: string[]; sameStream: boolean }>;
  /** Ends the tracks like a phone that takes the camera away; returns how often the loss was reported. */
  loseCamera(): Promise<number>;
  openSpool(api: string): Promise<boolean>;
  durable(): Promise<boolean>;
  start(options?: { maxMs?: number; upload?: boolean }): Promise<string>;
  ended(): Promise<string | null>;
  stop(): Promise<TakeDetails>;
  abortRecording(): Promise<void>;
  loudest(): Promise<number>;
  /** The take from an earlier visit. */
  kept(): Promise<TakeDetails | null>;
  settled(): Promise<void>;
  forget(takeId: string): Promise<void>;
  pick(options: {
    name: string;
    type: string;
    bytes: number;
    maxBytes: number;
    /** The first bytes; by default, of an MP4 file. */
    start?: string;
  }): Promise<TakeDetails | { problem: string }>;
  edit(takeId: string, edits: Partial<Pick<TakeDetails, 'trim' | 'captions'>>): Promise<void>;
  resume(takeId: string): Promise<void>;
  /** Taps Send; null when the server has everything. */
  send(): Promise<{ problem: string; closed: string | null } | null>;
  abortUpload(): Promise<void>;
  progress(): Promise<ProgressEntry[]>;
  digest(takeId: string): Promise<string>;
  play(): Promise<{ width: number; height: number; playedTo: number }>;
  watch(): Promise<void>;
  watched(): Promise<string[]>;
}
