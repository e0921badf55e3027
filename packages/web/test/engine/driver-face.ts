/** What the page under test can be told to do, and what it answers: no type of the browser, so that both sides know it. */
export interface TakeFacts {
  id: string;
  bytes: number;
  blobParts: number;
  type: string;
  durationMs: number;
  findings: string[];
  complete: boolean;
}

export interface ProgressEntry {
  state: string;
  sentBytes: number;
  totalBytes: number | null;
  message?: string;
  closed?: string;
}

export interface Driver {
  /** Why the camera does not open; null when it does. */
  cameraProblem(): Promise<string | null>;
  openCamera(): Promise<{ type: string | null; width: number; height: number; hasSound: boolean; canFlip: boolean }>;
  flip(): Promise<{ facing: string; liveTracks: string[]; sameStream: boolean }>;
  /** Ends the tracks as a phone does that takes the camera away; how often the loss was told. */
  loseCamera(): Promise<number>;
  openSpool(api: string): Promise<boolean>;
  durable(): Promise<boolean>;
  start(options?: { maxMs?: number; upload?: boolean }): Promise<string>;
  ended(): Promise<string | null>;
  stop(): Promise<TakeFacts>;
  abortRecording(): Promise<void>;
  loudest(): Promise<number>;
  /** The take from an earlier visit. */
  kept(): Promise<TakeFacts | null>;
  settled(): Promise<void>;
  forget(takeId: string): Promise<void>;
  pick(options: {
    name: string;
    type: string;
    bytes: number;
    maxBytes: number;
  }): Promise<TakeFacts | { problem: string }>;
  resume(takeId: string): Promise<void>;
  /** Send: null when the server has all of it. */
  send(): Promise<{ message: string; closed: string | null } | null>;
  abortUpload(): Promise<void>;
  progress(): Promise<ProgressEntry[]>;
  digest(takeId: string): Promise<string>;
  play(): Promise<{ width: number; height: number; playedTo: number }>;
  watch(): Promise<void>;
  watched(): Promise<string[]>;
}
